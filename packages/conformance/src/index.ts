export { describeStore } from './store-contract.js'
export { admissionsIn, decisionFrom, follow } from './follow.js'
export { createModel } from './models/model.js'
export { seed } from './seed.js'
export { sizes, sizedAlgorithms } from './sized-algorithms.js'
export type { Followed, Sample } from './samples.js'
export { families } from './families.js'
export { unlimitedMeaning } from './models/unlimited.js'
export {
  costOf,
  costs,
  forward,
  moved,
  nothingSaid,
  patienceMs,
  runs,
  starts,
  startsOf,
  traffic,
} from './traffic.js'
export type { Cost, Move, Said, Step } from './traffic.js'
export { rush } from './rush.js'
