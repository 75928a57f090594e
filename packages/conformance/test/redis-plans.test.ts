import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
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
import { describe, expect, test } from 'vitest'
import { resolvePolicy } from '../../core/src/algorithms/kind.js'
import { registerAlgorithms } from '../../core/src/algorithms/register.js'
import { createTargets, mostPolicies } from '../../core/src/stores/redis/plans.js'
import { noLease } from '../../core/src/stores/store.js'
import { useBothScripts } from './both-scripts.js'

// Internal: the number of times and counts of each row.

registerAlgorithms()
const scripts = useBothScripts()
const { server } = scripts

const samples = families.flatMap(({ samples }) => samples)
const start = Date.UTC(2026, 5, 1)
const verbs = [
  ...Array<'consume'>(10).fill('consume'),
  ...([
    'peek',
    'many',
    'many',
    'times',
    'times',
    'refund',
    'refundSome',
    'refundUnits',
    'penalize',
  ] as const),
  ...(['block', 'unblock', 'exempt', 'exempt', 'unexempt', 'reset', 'status'] as const),
] as const

interface Command {
  readonly verb: (typeof verbs)[number]
  readonly time: Move | number
  readonly cost: Cost
  readonly key: string
  /** Whether each policy has a key of its own, and a cost of its own. */
  readonly apart: 'keys' | 'costs' | undefined
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
  apart: fc.constantFrom(undefined, undefined, undefined, 'keys', 'costs'),
  plan: fc.nat(11),
  dice: fc.nat(5),
})

const hasRecords = new Set(['slidingLog', 'concurrency'])
const rows = samples.filter(({ policy: { kind, block } }) => !block && !hasRecords.has(kind))
/** The script of more than six policies has no local variables for them. */
const size = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 6 }), weight: 4 },
  { arbitrary: fc.integer({ min: 7, max: mostPolicies }), weight: 1 },
)
/** One more than the policies of most calls. */
const someSamples = size.chain((length) => {
  const bounds = { minLength: length + 1, maxLength: length + 1 }
  return fc.oneof(
    fc.array(fc.constantFrom(...rows), bounds),
    fc.array(fc.constantFrom(...samples), bounds),
  )
})

/** Most calls have the same policies. Others have some of them, in another order, or a single policy without a name. */
function planOf([other, ...policies]: readonly Policy[], plan: number): Policies {
  const all = policies.map((policy, i): [string, Policy] => [`policy ${i}`, policy])
  if (plan === 0) return Object.fromEntries(all.toReversed())
  if (plan === 1) return Object.fromEntries(all.slice(1).concat([['last', policies[0]]]))
  if (plan === 2) return other
  return policies.length === 1 ? policies[0] : Object.fromEntries(all)
}

interface Subject {
  readonly limiter: Limiter<AsyncStore>
  /** The time that has passed for this limiter only, ms. */
  readonly clock: { aheadMs: number }
  readonly decisions: Decision[]
}

test(
  'the scripts of plans and the script of single requests return the same decisions and write the same states, for any traffic',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someSamples,
        fc.array(command, { minLength: 1, maxLength: 30, size: 'max' }),
        async (chosen, traffic) => {
          let now = start
          const policies = chosen.map(({ policy }) => policy)
          const name = randomUUID()
          const options = { name, policies: planOf(policies, 3), denyCache: false }
          const subjects = [scripts.plan, scripts.single].map((store): Subject => {
            const clock = { aheadMs: 0 }
            const limiter = createLimiter({ ...options, store, clock: () => now + clock.aheadMs })
            return { decisions: [], limiter, clock }
          })
          const forms = formsOf(policies)
          let last = nothingSaid
          for (const one of traffic) {
            now = typeof one.time === 'number' ? now - one.time : moved(now, one.time, 1000, last)
            const plan = planOf(policies, one.plan)
            const [given, expected] = await Promise.all(
              subjects.map((subject) => answer(subject, one, plan, last)),
            )
            expect(given).toEqual(expected)
            const states = await Promise.all(
              ['plan', 'single'].map((prefix) => statesOf(prefix, name, forms)),
            )
            expect(states[0].parts).toEqual(states[1].parts)
            // The two scripts did not run in the same millisecond.
            states[0].livesMs.forEach((livesMs, i) =>
              expect(Math.abs(livesMs - states[1].livesMs[i])).toBeLessThan(60_000),
            )
            last = saidBy(subjects[0].decisions.at(-1)) ?? last
          }
        },
      ),
      { numRuns: runs(300) },
    )
  },
  patienceMs,
)

// A Lua function has at most 200 local variables. Six policies are the most that have some.
test.each([6, mostPolicies])('Redis compiles every script of %i policies', async (count) => {
  const names = Array.from({ length: count }, (_, i) => `policy ${i}`)
  const requests = [
    { keys: names, cost: names.map(() => 1) },
    { keys: names.map(() => 'key'), cost: 1 },
  ]
  const kinds = new Map(samples.map(({ policy }) => [`${policy.kind} ${policy.block?.on}`, policy]))
  for (const [kind, policy] of kinds) {
    const resolved = resolvePolicy(policy, 'test')
    const policies = names.map((name) => Object.assign({ name, limiter: 'test' }, resolved))
    for (const request of requests) {
      const { targetOf } = createTargets('test', false, true)
      const target = targetOf({
        ...request,
        verb: 'consume',
        policies,
        now: undefined,
        lease: noLease,
      })
      const loaded = server.connection.script('LOAD', target?.plan?.script.source ?? 'no plan')
      await expect(loaded, kind).resolves.toMatch(/^[0-9a-f]{40}$/)
    }
  }
})

describe('the script of single requests', () => {
  test('lengthens a block up to its maximum', async () => {
    let now = start
    const block = { for: 1000, escalate: 3, max: 5000 } as const
    const limiter = createLimiter({
      name: randomUUID(),
      policies: fixedWindow({ limit: 1, window: 10, block }),
      store: scripts.single,
      clock: () => now,
    })
    const lengths: number[] = []
    for (let i = 0; i < 4; i++) {
      await limiter.consume('key')
      const { blockedMs } = (await limiter.status('key')).policies['default']
      lengths.push(blockedMs)
      now += blockedMs
    }
    expect(lengths).toEqual([1000, 3000, 5000, 5000])
  })

  test('a refund of a decision before a second reset in the same millisecond changes nothing', async () => {
    const limiter = createLimiter({
      name: randomUUID(),
      policies: gcra({ limit: 5, window: '1h' }),
      store: scripts.single,
      clock: () => start,
    })
    await limiter.consume('key')
    await limiter.reset('key')
    const between = await limiter.consume('key', { cost: 3 })
    await limiter.reset('key')
    const last = await limiter.consume('key', { cost: 2 })
    await limiter.refund(between)
    expect((await limiter.peek('key')).remaining).toBe(3)
    await limiter.refund(last)
    expect((await limiter.peek('key')).remaining).toBe(5)
  })
})

async function answer(
  { decisions, limiter, clock }: Subject,
  { verb, cost: share, key, apart, dice }: Command,
  policies: Policies,
  last: Said,
): Promise<unknown> {
  const cost = costOf(share, 3, last)
  const names = 'kind' in policies ? [] : Object.keys(policies)
  const each = <T>(of: (i: number) => T) => Object.fromEntries(names.map((n, i) => [n, of(i)]))
  const isApart = names.length > 1
  const asked = isApart && apart === 'keys' ? each((i) => (i % 3 === 1 ? 'eve' : key)) : key
  const costs = isApart && apart === 'costs' ? each((i) => (i === 0 ? cost : dice)) : cost
  try {
    switch (verb) {
      case 'consume':
        decisions.push(await limiter.consume(asked, { cost: costs, policies }))
        return decisions.slice(-1).map(plain)
      case 'peek':
        return await limiter.peek(asked, { cost: costs, policies })
      case 'many': {
        // Several requests for one key in one call, and requests after them.
        const requests = [
          { key, cost, policies },
          { key, policies },
          { key: asked, cost: costs, policies },
          { key: 'bob', policies },
          { key, cost: 2, policies },
        ]
        const [many, peeked] = await Promise.all([
          limiter.consumeMany(requests),
          limiter.peek(key, { cost: costs, policies }),
        ])
        await limiter.refund(key, 1)
        const after = await limiter.consume(key, { policies })
        decisions.push(...many, after)
        return [...many, after].map(plain).concat(plain(peeked))
      }
      case 'times': {
        // Requests of several times in one call, and one of another script between them. The clock steps back, and passes a month.
        const each = [0, 0, 1, 300, 40 * dice, -200, 86_400_000 * 40, 0, 1].flatMap((ms, i) => {
          clock.aheadMs += ms
          const options = i % 2 === 0 ? { policies } : { policies, cost: costs }
          if (i === 5) void limiter.refund(key, 1)
          if (i === 7) return [limiter.peek(key, { policies })]
          return [
            limiter.consume(asked, options),
            limiter.consume(i % 3 === 0 ? 'bob' : key, { policies }),
          ]
        })
        clock.aheadMs = 0
        return (await Promise.all(each)).map(plain)
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
      case 'exempt': {
        const isChosen = (i: number) => ((dice >> (i % 3)) & 1) === 0
        const some = isApart ? each((i) => (isChosen(i) ? key : notLimited)) : key
        return await limiter.exempt(some, 500 + 700 * dice, { policies })
      }
      case 'unexempt':
        return await limiter.unexempt(key, { policies })
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

interface Form {
  readonly times: number
  readonly counts: number
}

/** The rows of these policies, by the ids of their algorithms. */
function formsOf(policies: readonly Policy[]): ReadonlyMap<number, Form> {
  const forms = new Map<number, Form>([
    [block, { times: 1, counts: 1 }],
    [exemption, { times: 1, counts: 1 }],
    [recordOfReset, { times: 2, counts: 1 }],
  ])
  for (const policy of policies) {
    const { steps, params } = resolvePolicy(policy, 'test')
    // The width of others is in each row.
    forms.set(steps.id, steps.cells(params))
  }
  return forms
}

/** The states under a prefix with their TTLs, without the records, which contain random lease ids. */
async function statesOf(prefix: string, name: string, forms: ReadonlyMap<number, Form>) {
  const keys = (await server.connection.keys(`${prefix}:${name}:*}`)).sort()
  const states = await Promise.all(keys.map((key) => server.connection.getBuffer(key)))
  const livesMs = await Promise.all(keys.map((key) => server.connection.pttl(key)))
  return { parts: states.map((state) => state && partsOf(state, forms)), livesMs }
}

/**
 * The rows of a state as numbers, because the scripts may write counts of other sizes, in another order. With zeros for the times that another form of a
 * policy gets from the TTL: its own end, and that of the record of a reset. The two scripts do not run in the same millisecond.
 */
function partsOf(state: Buffer, forms: ReadonlyMap<number, Form>): readonly string[] {
  if (state[0] !== 0) return [partOf('', state[0], 0, state.subarray(1), forms)]
  const parts: string[] = []
  for (let at = 1; at < state.length;) {
    const name = state.toString('latin1', at + 1, at + 1 + state[at])
    at += 1 + state[at]
    const cells = at + 4
    const end = cells + state.readUInt16LE(at + 2)
    const ends = state[at] === rowThatEnds
    const [id, width] = ends ? [state[at + 1], state[cells]] : [state[at], state[at + 1]]
    const row = partOf(name, id, width, state.subarray(ends ? cells + 7 : cells, end), forms)
    parts.push(ends ? `${row} ends` : row)
    at = end
  }
  return parts.sort()
}

function partOf(
  name: string,
  id: number,
  width: number,
  cells: Buffer,
  forms: ReadonlyMap<number, Form>,
): string {
  const { times, counts: known } = forms.get(id) ?? { times: 0, counts: 1 }
  const counts = width === 0 ? known : width - times
  const size = (cells.length - 6 * times) / counts
  const row = Array.from({ length: times + counts }, (_, i) => {
    const at = Math.min(i, times) * 6 + Math.max(0, i - times) * size
    const length = i < times ? 6 : size
    return cells.subarray(at, at + length).reduceRight((sum, byte) => sum * 256 + byte, 0)
  })
  if (id === recordOfReset) row[1] = 0
  return `${name} ${id} ${width}: ${row.join(' ')}`
}

const block = 127
const rowThatEnds = 125
const recordOfReset = 126
const exemption = 123
