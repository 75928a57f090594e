import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  type AsyncStore,
  type Decision,
  type Limiter,
  type Policies,
  type Policy,
} from '@sluice/core'
import {
  costOf,
  costs,
  families,
  forward,
  moved,
  nothingSaid,
  patienceMs,
  runs,
  type Cost,
  type Move,
  type Said,
} from '@sluice/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useBothScripts } from './both-scripts.js'

const scripts = useBothScripts()
const { server } = scripts

const samples = families.flatMap(({ samples }) => samples)
const start = Date.UTC(2026, 5, 1)
const verbs = [
  ...Array<'consume'>(10).fill('consume'),
  ...(['peek', 'many', 'many', 'refund', 'refundSome', 'refundUnits', 'penalize'] as const),
  ...(['block', 'unblock', 'reset', 'status'] as const),
] as const

interface Command {
  readonly verb: (typeof verbs)[number]
  readonly time: Move | number
  readonly cost: Cost
  readonly key: string
  /** Chooses the policies of this call, and their order. */
  readonly plan: number
  readonly dice: number
}

const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom(...verbs),
  time: fc.oneof(
    { arbitrary: forward, weight: 4 },
    { arbitrary: fc.integer({ min: 1, max: 1000 }), weight: 1 },
  ),
  cost: costs,
  key: fc.constantFrom('ann', 'ann', 'bob'),
  plan: fc.nat(11),
  dice: fc.nat(5),
})

const bodied = new Set(['slidingLog', 'concurrency'])
const rows = samples.filter(({ policy: { kind, block } }) => !block && !bodied.has(kind))
const ofRows = fc.array(fc.constantFrom(...rows), { minLength: 4, maxLength: 4 })
const ofAll = fc.array(fc.constantFrom(...samples), { minLength: 4, maxLength: 4 })
const someSamples = fc.oneof({ arbitrary: ofRows, weight: 4 }, { arbitrary: ofAll, weight: 1 })

/** Most calls have the same policies. Others have some of them, in another order, or a single policy without a name. */
function planOf([a, b, c, d]: readonly Policy[], size: number, plan: number): Policies {
  const all = Object.entries({ a, b, c, d }).slice(0, size)
  if (plan === 0) return Object.fromEntries(all.toReversed())
  if (plan === 1) return Object.fromEntries(all.slice(1).concat([['z', a]]))
  if (plan === 2) return b
  return size === 1 ? a : Object.fromEntries(all)
}

interface Subject {
  readonly limiter: Limiter<AsyncStore>
  readonly decisions: Decision[]
}

test(
  'the direct script and the general one return the same decisions and write the same bytes, for any traffic',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someSamples,
        fc.integer({ min: 1, max: 4 }),
        fc.array(command, { minLength: 1, maxLength: 30, size: 'max' }),
        async (chosen, size, traffic) => {
          let now = start
          const policies = chosen.map(({ policy }) => policy)
          const name = randomUUID()
          const options = { name, policies: planOf(policies, size, 3), clock: () => now }
          const subjects = [scripts.direct, scripts.general].map((store): Subject => {
            const limiter = createLimiter({ ...options, store, denyCache: false })
            return { decisions: [], limiter }
          })
          let last = nothingSaid
          for (const one of traffic) {
            now = typeof one.time === 'number' ? now - one.time : moved(now, one.time, 1000, last)
            const plan = planOf(policies, size, one.plan)
            const [given, expected] = await Promise.all(
              subjects.map((subject) => answer(subject, one, plan, last)),
            )
            expect(given).toEqual(expected)
            const states = await Promise.all(
              ['direct', 'general'].map((prefix) => statesOf(prefix, name)),
            )
            expect(states[0].bytes).toEqual(states[1].bytes)
            // The two scripts did not run in the same millisecond.
            states[0].livesMs.forEach((livesMs, i) =>
              expect(Math.abs(livesMs - states[1].livesMs[i])).toBeLessThan(60_000),
            )
            last = saidBy(subjects[0].decisions.at(-1)) ?? last
          }
        },
      ),
      { numRuns: runs(60) },
    )
  },
  patienceMs,
)

async function answer(
  { decisions, limiter }: Subject,
  { verb, cost: share, key, dice }: Command,
  policies: Policies,
  last: Said,
): Promise<unknown> {
  const cost = costOf(share, 3, last)
  try {
    switch (verb) {
      case 'consume':
        decisions.push(await limiter.consume(key, { cost, policies }))
        return decisions.slice(-1).map(plain)
      case 'peek':
        return await limiter.peek(key, { cost, policies })
      case 'many': {
        // Several requests for one key in one call, and requests after them.
        const asked = [
          { key, cost, policies },
          { key, policies },
          { key: 'bob', policies },
          { key, cost: 2, policies },
        ]
        const [many, peeked, , after] = await Promise.all([
          limiter.consumeMany(asked),
          limiter.peek(key, { policies }),
          limiter.refund(key, 1),
          limiter.consume(key, { policies }),
        ])
        decisions.push(...many, after)
        return [...many, after].map(plain).concat(plain(peeked))
      }
      case 'refund': {
        const decision = decisions.at(-1 - dice)
        return await (decision && limiter.refund(decision))
      }
      case 'refundSome': {
        const decision = decisions.at(-1 - (dice % 3))
        const named = Object.keys(decision?.policies ?? {})
        const some = named.filter((_, i) => (dice >> i) % 2 === 1)
        return await (decision && limiter.refund(decision, { policies: some }))
      }
      case 'refundUnits':
        return await limiter.refund(key, cost, { policies })
      case 'penalize':
        return await limiter.penalize(key, cost, { policies })
      case 'block':
        return await limiter.block(key, 1 + 700 * dice, { policies })
      case 'unblock':
        return await limiter.unblock(key, { policies })
      case 'reset':
        return await limiter.reset(key, { unblock: dice > 2, policies })
      case 'status':
        return await limiter.status(key, { policies })
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

/** The id of a lease is random. All other fields must be equal. */
function plain({ lease: _lease, ...decision }: Decision) {
  return decision
}

function saidBy(decision: Decision | undefined): Said | undefined {
  const verdict = Object.values(decision?.policies ?? {}).at(0)
  return verdict && { ...verdict, remaining: decision?.remaining ?? 0 }
}

/** The states under a prefix with their TTLs, without the bodies, which contain random lease ids. */
async function statesOf(prefix: string, name: string) {
  const keys = ['ann', 'bob'].map((key) => `${prefix}:${name}:{${key}}`)
  const states = await Promise.all(keys.map((key) => server.connection.getBuffer(key)))
  const livesMs = await Promise.all(keys.map((key) => server.connection.pttl(key)))
  return { bytes: states.map((state) => state && withoutEnds(state).toString('hex')), livesMs }
}

/**
 * The bytes of a state, with zeros for the times that another form of a policy gets from the TTL: its own end, and that of the record of a reset. The
 * two scripts do not run in the same millisecond.
 */
function withoutEnds(state: Buffer): Buffer {
  if (state[0] === recordOfReset) return state.fill(0, 7, 13)
  for (let at = 1; state[0] === 0 && at < state.length;) {
    at += 1 + state[at]
    const id = state[at]
    const cells = at + 4
    if (id === rowThatEnds) state.fill(0, cells + 1, cells + 7)
    if (id === recordOfReset) state.fill(0, cells + 6, cells + 12)
    at = cells + state.readUInt16LE(at + 2)
  }
  return state
}

const rowThatEnds = 125
const recordOfReset = 126
