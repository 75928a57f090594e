export { registerAlgorithms } from './kinds.js'
