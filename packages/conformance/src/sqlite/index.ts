export { startWorkers } from './workers.js'
export type { Done, Work } from './worker.js'
