export { registerAlgorithms } from './register.js'
