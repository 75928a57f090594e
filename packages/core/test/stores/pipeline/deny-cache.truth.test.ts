import { describeTruthOfDenials } from './truth-of-denials.js'

describeTruthOfDenials(400)
