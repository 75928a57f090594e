import { registerAlgorithms } from './kinds.js'

// The entry of the package imports this file for its effect. A bundler leaves it out, because the package declares that its files have none.
registerAlgorithms()
