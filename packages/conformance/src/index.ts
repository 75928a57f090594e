export { describeStore } from './stores/describe-store.js'
export { admissionsIn, decisionFrom, follow, type Answered } from './traffic/follow.js'
export { createModel } from './models/model.js'
export { compareStores, type Difference } from './traffic/compare.js'
export { scenarios } from './traffic/scenarios.js'
export { sizes, sizedAlgorithms } from './samples/sized-algorithms.js'
export type { Followed, Sample } from './samples/sample.js'
export { families } from './samples/families.js'
export { unlimitedSample } from './samples/unlimited.js'
export {
  costOf,
  costs,
  forward,
  moved,
  nothingSaid,
  starts,
  startsOf,
  traffic,
} from './traffic/traffic.js'
export type { Cost, Move, Said, Step } from './traffic/traffic.js'
export { rush } from './redis/rush.js'
