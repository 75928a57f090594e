import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createLimiter, type DecisionEvent } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { Collector } from '../../src/collect/collector.js'
import { Ring } from '../../src/collect/steps.js'

const allowed = createLimiter({ name: 'plain', limit: 1, window: '1m' }).peek('key')

/** A decision by some policies. */
function decisionOf(names: readonly string[], isDenied: boolean): DecisionEvent['decision'] {
  const verdict = {
    ...allowed.policies['default'],
    allowed: !isDenied,
    retryAfterMs: isDenied ? 3_600_000 : 0,
  }
  return {
    ...allowed,
    allowed: !isDenied,
    deniedBy: isDenied ? [...names] : [],
    policies: Object.fromEntries(names.map((name) => [name, verdict])),
  }
}

/** Makes events of a limiter, whose decisions they share. */
function eventsOf(
  limiter: string,
  names: readonly string[],
): (key: string, isDenied: boolean) => DecisionEvent {
  const [denial, other] = [decisionOf(names, true), decisionOf(names, false)]
  return function eventOf(key, isDenied) {
    const keys: Record<string, string> = {}
    for (const name of names) keys[name] = key
    return { limiter, keys, cost: 1, mode: 'enforced', decision: isDenied ? denial : other }
  }
}

/** Those of a round: enough to fill the lists of 20 limiters, and in two rounds those of the denied keys. */
const decisions = 11_000

/** The entries that a collector keeps. */
function sizesOf({ limiters, denied, keyPolicies }: Collector) {
  const records = [...limiters.values()]
  const policies = records.flatMap((record) => [...record.policies.values()])
  const ringsOf = (record: object): number =>
    Object.values(record).filter((value) => value instanceof Ring).length
  return {
    limiters: records.length,
    policies: policies.length,
    rings: [...records, ...policies].reduce((sum, record) => sum + ringsOf(record), 0),
    frequent: Math.max(...records.flatMap((one) => [one.requests.size, one.denials.size])),
    denied: denied.size <= 10_000,
    keyPolicies: keyPolicies.size,
  }
}

describe('the data of a process have a bound', () => {
  test.each([
    [20, 2, { limiters: 20, policies: 40, rings: 120 }],
    [80, 20, { limiters: 50, policies: 512, rings: 360 }],
  ])('%i limiters with %i policies each', (limiters, policies, expected) => {
    let now = Date.UTC(2026, 0, 1)
    const collector = new Collector(() => now, 1)
    let n = 0
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < limiters; i++) {
        const names = Array.from({ length: policies }, (_, k) => `policy-${i}-${k}`)
        const eventOf = eventsOf(`limiter-${i}`, names)
        for (let k = 0; k < decisions / limiters; k++) {
          collector.note(eventOf(`user-${n}@example.com`, n++ % 2 === 0))
        }
      }
      now += 200_000
      collector.now()
    }
    expect(sizesOf(collector)).toEqual({
      ...expected,
      frequent: 356,
      denied: true,
      keyPolicies: sizesOf(collector).keyPolicies,
    })
    expect(collector.denied.size).toBeGreaterThanOrEqual(9000)
    expect(sizesOf(collector).keyPolicies).toBeLessThanOrEqual(1000)
  })
})

test('keys that are parts of long headers do not keep the headers', async () => {
  const program = `
    import { channel } from 'node:diagnostics_channel'
    import { createLimiter } from '@sluice/core'
    import { createDashboard } from '@sluice/dashboard'
    const limiter = createLimiter({ name: 'api', limit: 1, window: '1h' })
    const decisions = [limiter.consume('key'), limiter.consume('key')]
    createDashboard({ limiters: { limiter }, authorize: () => 'read' })
    const header = Buffer.alloc(500_000, 'h')
    for (let i = 0; i < 200; i++) {
      header.write(String(i).padStart(30, 'k'))
      const keys = { default: header.toString().slice(0, 30) }
      for (const decision of decisions) {
        const event = { limiter: 'api', keys, cost: 1, mode: 'enforced', decision }
        channel('sluice:decision').publish(event)
      }
    }
    console.log('done')`
  // All headers together have 100 MB.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=50', '--input-type=module', '--eval', program],
    { cwd: new URL('../..', import.meta.url) },
  )
  expect(stdout).toBe('done\n')
})
