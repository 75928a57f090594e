import fc from 'fast-check'
// The setup file of every test file: it does not load the whole suite.
import { seed } from '../src/seed.js'

// Random traffic is the same in every run, so that a test that fails today fails tomorrow.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
