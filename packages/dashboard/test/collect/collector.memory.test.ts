import { memoryUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLimiter, type DecisionEvent } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { Collector } from '../../src/collect/collector.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function used(): number {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = memoryUsage()
  return heapUsed + external
}

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

describe('the data of a process take at most 5 MB', () => {
  test.each<[string, number, number, (i: number) => string]>([
    ['20 limiters, addresses', 20, 2, (i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`],
    ['80 limiters with 20 policies each', 80, 20, (i) => `user-${i}@example.com`],
    ['keys of 256 characters of two bytes', 20, 2, (i) => `${i}`.padEnd(256, '漢')],
    ['keys of 256 characters of one byte', 20, 2, (i) => `${i}`.padEnd(256, 'é')],
    [
      'keys that are parts of long headers',
      20,
      2,
      (i) => `${'h'.repeat(8000)}${i}-of-a-header`.slice(7990),
    ],
  ])('%s', (_, limiters, policies, keyOf) => {
    let now = Date.UTC(2026, 0, 1)
    const before = used()
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
    const bytes = used() - before
    expect(collector.denied.size).toBeGreaterThan(1000)
    expect(bytes / 1e6).toBeLessThan(5)
  })
})
