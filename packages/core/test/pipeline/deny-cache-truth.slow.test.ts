import { seed } from '../../../conformance/src/traffic/seed.js'
import { describeTruthOfDenials } from './truth-of-denials.js'

// Other traffic than that of the quick test.
describeTruthOfDenials(1000, { seed: seed + 2 })
