import type { Contender } from './contender.js'
import { peers } from './peers.js'
import { ours } from './sluice.js'
import { bareMap } from './yardstick.js'

export const contenders: readonly Contender[] = [bareMap, ...ours, ...peers]
