import fc from 'fast-check'
import { runs, seed } from '../random.js'

// Random traffic is the same in every run, so that a failure can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: runs(100) })
