import fc from 'fast-check'
import type { Followed } from '../samples/sample.js'

/** How far time moves before a request: by a number of milliseconds, or to a moment that a faulty limiter is likely to decide wrongly. */
export type Move =
  | { readonly by: 'ms'; readonly ms: number }
  /** A number of windows, and a little more or less. */
  | { readonly by: 'window'; readonly count: number; readonly plusMs: number }
  /** To the start of the clock's next window, or a little before or after. */
  | { readonly by: 'edge'; readonly plusMs: number }
  /** By a wait of the last answer, or a little less or more. */
  | {
      readonly by: 'retryAfterMs' | 'nextMs' | 'resetMs'
      readonly plusMs: number
    }

/** The fields of the last answer that the next request may depend on. */
export interface Said {
  readonly remaining: number
  readonly retryAfterMs: number | null
  readonly nextMs: number
  readonly resetMs: number
}

/** One request of the traffic. */
export interface Step {
  readonly move: Move
  readonly cost: Cost
  readonly verb: 'consume' | 'peek' | 'penalize'
}

/** A number, or a cost that is likely to be decided wrongly: a share of the quota, the last `remaining`, or one more than that. */
export type Cost = number | 'quota' | 'half' | 'above' | 'rest' | 'more than rest'

export const nothingSaid: Said = { remaining: 0, retryAfterMs: 0, nextMs: 0, resetMs: 0 }

const plusMs = fc.constantFrom(-1, 0, 0, 1)

/** No time, small steps, windows, boundaries, and jumps to the moments of the last answer. Time never goes backwards. */
export const forward: fc.Arbitrary<Move> = fc.oneof(
  { arbitrary: fc.constant<Move>({ by: 'ms', ms: 0 }), weight: 3 },
  { arbitrary: fc.record({ by: fc.constant('ms'), ms: fc.nat(5) }), weight: 2 },
  { arbitrary: fc.record({ by: fc.constant('ms'), ms: fc.nat(2000) }), weight: 1 },
  {
    arbitrary: fc.record({
      by: fc.constant('window'),
      count: fc.constantFrom(0.1, 1 / 3, 0.5, 1, 2, 3),
      plusMs,
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ by: fc.constant('edge'), plusMs }), weight: 1 },
  {
    arbitrary: fc.record({ by: fc.constantFrom('retryAfterMs', 'nextMs', 'resetMs'), plusMs }),
    weight: 4,
  },
)

export const costs: fc.Arbitrary<Cost> = fc.oneof(
  { arbitrary: fc.constant(1), weight: 4 },
  { arbitrary: fc.constantFrom<Cost>(0, 'quota', 'half', 'above'), weight: 3 },
  { arbitrary: fc.constantFrom<Cost>('rest', 'more than rest'), weight: 2 },
  { arbitrary: fc.nat(8), weight: 2 },
)

const step: fc.Arbitrary<Step> = fc.record({
  move: forward,
  cost: costs,
  verb: fc.constantFrom(
    ...Array<'consume'>(12).fill('consume'),
    'peek',
    'peek',
    'peek',
    'penalize',
  ),
})

/** A day of one key, most of it long enough to fill a limit more than once. */
export const traffic: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  maxLength: 30,
  size: 'max',
})

/** The epoch, a moment near it, today and the year 2100, and moments that are not round numbers. */
export const starts: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 999, 1_763_683_200_000, 4_102_444_800_000),
  fc.integer({ min: 1_763_683_200_000, max: 1_763_683_200_000 + 604_800_000 }),
)

/** The same moments, and those near which this policy is likely to be decided wrongly. */
export function startsOf({ starts: own, windowMs }: Followed): fc.Arbitrary<number> {
  if (own.length === 0) return starts
  const near = fc.tuple(fc.constantFrom(...own), fc.integer({ min: -windowMs, max: windowMs }))
  return fc.oneof(
    starts,
    fc.constantFrom(...own),
    near.map(([start, ms]) => start + ms),
  )
}

/** The cost as a number, under a policy of this quota. */
export function costOf(cost: Cost, quota: number, said: Said): number {
  // If nothing is limited, `remaining` is Infinity, which is not a valid cost.
  const remaining = said.remaining === Infinity ? quota : said.remaining
  switch (cost) {
    case 'quota':
      return quota
    case 'half':
      return Math.ceil(quota / 2)
    case 'above':
      return quota + 1
    case 'rest':
      return remaining
    case 'more than rest':
      return remaining + 1
    default:
      return cost
  }
}

/** The moment after a move; never before `now`. */
export function moved(now: number, move: Move, windowMs: number, last: Said): number {
  return Math.max(now, now + Math.floor(distance(now, move, windowMs, last)))
}

function distance(now: number, move: Move, windowMs: number, last: Said): number {
  switch (move.by) {
    case 'ms':
      return move.ms
    case 'window':
      return move.count * windowMs + move.plusMs
    case 'edge':
      return windowMs - (now % windowMs) + move.plusMs
    default:
      return (last[move.by] ?? 0) + move.plusMs
  }
}
