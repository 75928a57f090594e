import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createLimiter, type DecisionEvent } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { Collector } from '../../src/collect/collector.js'
import { textBytes } from '../../src/collect/text-bytes.js'

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

/** The sizes of what a collector keeps: entries, and bytes of keys and of arrays. */
function sizesOf({ limiters, denied }: Collector) {
  const records = [...limiters.values()]
  const policies = records.flatMap((record) => [...record.policies.values()])
  const ringsOf = (record: object): number =>
    Object.values(record).filter((value) => ArrayBuffer.isView(value)).length
  const deniedKeys = records.flatMap(({ deniedPlaces }) => [...deniedPlaces.keys()])
  const textOf = (keys: readonly string[]): number =>
    keys.reduce((sum, key) => sum + textBytes(key), 0)
  return {
    limiters: records.length,
    policies: policies.length,
    rings: [...records, ...policies].reduce((sum, record) => sum + ringsOf(record), 0),
    frequentBytes: records.reduce((sum, one) => sum + one.requests.bytes + one.denials.bytes, 0),
    denied: denied.size,
    deniedPlaces: deniedKeys.length,
    deniedBytes: textOf(deniedKeys),
  }
}

describe('the data of a process have a bound', () => {
  test.each<[string, number, number, (i: number) => string, object]>([
    [
      '20 limiters, addresses',
      20,
      2,
      (i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
      { limiters: 20, policies: 40, rings: 120, denied: 10_000 },
    ],
    [
      '80 limiters with 20 policies each',
      80,
      20,
      (i) => `user-${i}@example.com`,
      { limiters: 50, policies: 512, rings: 360, denied: 10_000 },
    ],
    [
      'keys of 256 characters of two bytes',
      20,
      2,
      (i) => `${i}`.padEnd(256, '漢'),
      { limiters: 20, denied: Math.floor(900_000 / (24 + 512)) },
    ],
    [
      'keys of 256 characters of one byte',
      20,
      2,
      (i) => `${i}`.padEnd(256, 'é'),
      { limiters: 20, denied: Math.floor(900_000 / (24 + 256)) },
    ],
  ])('%s', (_, limiters, policies, keyOf, expected) => {
    let now = Date.UTC(2026, 0, 1)
    const collector = new Collector(() => now, 1)
    let n = 0
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < limiters; i++) {
        const names = Array.from({ length: policies }, (_, k) => `policy-${i}-${k}`)
        const eventOf = eventsOf(`limiter-${i}`, names)
        for (let k = 0; k < decisions / limiters; k++) {
          collector.note(eventOf(keyOf(n), n++ % 2 === 0))
        }
      }
      now += 200_000
      collector.now()
    }
    const sizes = sizesOf(collector)
    expect(sizes).toMatchObject(expected)
    expect(sizes.deniedPlaces).toBe(sizes.denied)
    expect(sizes.deniedBytes).toBeLessThanOrEqual(900_000)
    expect(sizes.frequentBytes).toBeLessThanOrEqual(1_400_000)
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
