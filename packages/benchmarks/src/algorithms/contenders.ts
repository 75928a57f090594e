import { slidingWindow } from '@sluice/core'
import { oneOfEachKind } from '../builders.js'
import {
  hundred,
  limit,
  once,
  ten,
  tenths,
  twoWindows,
  windowMs as window,
  type Contender,
  type Fill,
} from './contender.js'
import { sluice } from './sluice.js'

/** The states that take more than one admission to fill. */
const fills = new Map<string, Fill>([
  ['slidingWindow', twoWindows],
  ['slidingLog', hundred],
  ['concurrency', ten],
])

const tenBuckets = sluice(
  'slidingWindow, 10 buckets',
  slidingWindow({ limit, window, buckets: 10 }),
  tenths,
)

const threePolicies = sluice(
  'slidingWindow, three policies',
  {
    minute: slidingWindow({ limit, window }),
    hour: slidingWindow({ limit: 10 * limit, window: 60 * window }),
    day: slidingWindow({ limit: 100 * limit, window: 1440 * window }),
  },
  once,
)

/** All kinds, and the default one in its more expensive forms. */
export const contenders: readonly Contender[] = [
  ...Object.entries(oneOfEachKind(limit, window)).map(([kind, policy]) =>
    sluice(kind, policy, fills.get(kind) ?? once),
  ),
  tenBuckets,
  threePolicies,
]
