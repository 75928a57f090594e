import {
  concurrency,
  gcra,
  notLimited,
  slidingLog,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Block,
  type NotLimited,
  type Policy,
} from '@sluice/core'
import fc from 'fast-check'
import { families } from '../samples/families.js'
import { sizedAlgorithms } from '../samples/sized-algorithms.js'
import { costs, forward, startsOf, type Cost, type Move } from './traffic.js'

/** Stores keep expired state for another second, so that it is still found if the clock steps back by a second. */
export const longestStepMs = 1000

const names = ['default', 'b', 'c'] as const
export type Name = (typeof names)[number]

const keyNames = ['ann', 'bob'] as const

/** A call of a limiter with three policies. */
export interface Command {
  readonly verb: Verb
  /** Milliseconds back, or a move forward. */
  readonly time: number | Move
  readonly cost: Cost
  /** Whether a consumption or a peek costs the same in each policy. */
  readonly isOneCost: boolean
  /** A key for each policy. */
  readonly keys: Readonly<Record<Name, (typeof keyNames)[number] | NotLimited>>
  /** Whether this call passes the other policies instead of the limiter's own, if its verb takes policies. */
  readonly isChanged: boolean
  /** The owner of the lease, for policies with leases. */
  readonly owner: string | undefined
  /** Chooses the decision to refund, counted back from the last one, the duration of a block, an exemption or a grant, whether a reset unblocks, or the cost of a policy. */
  readonly dice: number
}

/** Random traffic of all verbs of a limiter. */
export interface Scenario {
  /** For each name the policy of the limiter, and the one of the calls that change it. */
  readonly policies: Readonly<Record<Name, readonly Policy[]>>
  readonly start: number
  readonly commands: readonly Command[]
}

const twoForms: readonly (readonly ((limit: number, windowMs: number) => Policy)[])[] = [
  [
    (limit, window) => slidingWindow({ limit, window, buckets: 5 }),
    (limit, window) => slidingWindow({ limit, window, buckets: 10 }),
  ],
  [(limit, window) => slidingWindow({ limit, window }), (limit, window) => gcra({ limit, window })],
  [
    (limit, window) => slidingLog({ limit, window }),
    (limit, lease) => concurrency({ limit, lease }),
  ],
  [
    (limit, window) => concurrency({ limit, lease: window }),
    (limit, every) => tokenBucket({ capacity: limit, refill: 1, every, initial: 1 }),
  ],
]

const block: fc.Arbitrary<Block | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    on: fc.constantFrom('reached', 'exceeded'),
    for: fc.constantFrom(1, 500, 3000),
    escalate: fc.constantFrom(1, 1.5, 3),
    max: fc.constantFrom(3000, 10_000),
  }),
)

// The rate of the last ones is rounded, with some of the windows.
const limits = fc.constantFrom(1, 3, 7, 70_000, 10_000_000, 9_999_999_967, 2 ** 42)

/**
 * A policy, and the policy of the calls that change its limit. The window is the same: a count that has expired by the shorter of two windows
 * may be gone from one store and not yet from the other.
 */
const changing = fc
  .record({
    sized: fc.constantFrom(...sizedAlgorithms),
    windowMs: fc.constantFrom(7, 1000, 1009, 60_000),
    limit: limits,
    other: limits,
    block,
  })
  .map(({ sized: { sample }, windowMs, limit, other, block }) => {
    const pair = [sample(limit, windowMs), sample(other, windowMs)]
    return pair.map((one) => (block === undefined ? one : one.blocked(block)).policy)
  })

const steady = fc
  .constantFrom(...families.flatMap(({ samples }) => samples), undefined)
  .map((sample) => sample?.policy ?? unlimited())
  .map((policy) => [policy, policy])

/** Two policies of different forms: each of them counts for itself under one name. */
const alternating = fc
  .tuple(
    fc.constantFrom(...twoForms),
    fc.constantFrom(1000, 60_000),
    fc.constantFrom(1, 3, 7),
    block,
  )
  .map(([forms, windowMs, limit, block]) => {
    const given = block === undefined ? {} : { block }
    return forms.map((form) => ({ ...form(limit, windowMs), ...given }))
  })

const pair = fc.oneof(changing, steady, alternating)

type Verb =
  | 'consume'
  | 'peek'
  | 'consumeMany'
  | 'peekMany'
  | 'refund'
  | 'refundSome'
  | 'refundUnits'
  | 'release'
  | 'renew'
  | 'penalize'
  | 'block'
  | 'unblock'
  | 'exempt'
  | 'unexempt'
  | 'adjust'
  | 'grant'
  | 'ungrant'
  | 'reset'
  | 'status'

const verbs: readonly Verb[] = [
  ...Array<'consume'>(8).fill('consume'),
  'peek',
  'consumeMany',
  'peekMany',
  'refund',
  'refund',
  'refundSome',
  'refundUnits',
  'release',
  'renew',
  'penalize',
  'block',
  'unblock',
  'exempt',
  'unexempt',
  'adjust',
  'adjust',
  'grant',
  'grant',
  'grant',
  'ungrant',
  'reset',
  'status',
]

const key = fc.constantFrom(...keyNames, 'ann' as const, notLimited)

const policies = fc.record({ default: pair, b: pair, c: pair })

const start = fc
  .oneof(
    ...families.map(({ samples }) => fc.constantFrom(...samples).chain((one) => startsOf(one))),
  )
  .map((start) => Math.max(0, start))

const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom(...verbs),
  time: fc.oneof(
    { arbitrary: forward, weight: 4 },
    { arbitrary: fc.integer({ min: 1, max: longestStepMs }), weight: 1 },
  ),
  cost: costs,
  isOneCost: fc.constantFrom(true, true, true, false),
  keys: fc.record({ default: key, b: key, c: key }),
  isChanged: fc.constantFrom(true, false, false, false),
  owner: fc.constantFrom('x', 'y', undefined, undefined),
  dice: fc.nat(5),
})

/** Traffic of all verbs, for limiters with policies of every kind, of at most this many calls. */
export function scenarios(mostCommands: number): fc.Arbitrary<Scenario> {
  const commands = fc.array(command, { minLength: 1, maxLength: mostCommands, size: 'max' })
  return fc.record({ policies, start, commands })
}
