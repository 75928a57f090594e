import fc from 'fast-check'
// This setup file runs for every test file, so it does not import the suite.
import { runs } from '../src/random.js'
import { seed } from '../src/traffic/seed.js'

// Random traffic is the same in every run, so that a failure can be repeated.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: runs(100) })
