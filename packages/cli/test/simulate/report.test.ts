import { fixedWindow, slidingWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { simulate } from '../../src/simulate/index.js'
import { jsonLog, start, traffic } from './logs.js'

const loose = { policies: fixedWindow({ limit: 1_000_000, window: '1h' }) }

describe('the report', () => {
  test('states the requests over time once, whatever the number of limits', async () => {
    const sizeOf = async (names: readonly string[]): Promise<number> => {
      const variants = Object.fromEntries(names.map((name) => [name, loose]))
      return JSON.stringify(await simulate({ log: jsonLog(traffic()), variants })).length
    }
    const [one, two] = [await sizeOf(['a']), await sizeOf(['a', 'b'])]
    expect(one).toBeGreaterThan(5000)
    expect(two - one).toBeLessThan(500)
  })

  test('lists the intervals with denials, and their requests with the key', async () => {
    const lines = Array.from({ length: 1200 }, (_, i) => ({
      at: start + 1 + i * 1000,
      ip: '192.0.2.1',
      url: i % 4 === 0 ? '/a' : '/b',
    }))
    const {
      intervalMs,
      requests,
      variants: [only],
    } = await simulate({
      log: jsonLog(lines),
      variants: { only: { policies: fixedWindow({ limit: 1, window: '5m' }), key: 'path' } },
    })
    expect(intervalMs).toBe(2000)
    expect(requests).toHaveLength(600)
    expect(requests[1]).toEqual({ at: '2026-11-20T00:00:02.000Z', asked: 2 })
    expect(only.denials.slice(0, 3)).toEqual([
      { at: '2026-11-20T00:00:02.000Z', asked: 2, denied: 2 },
      { at: '2026-11-20T00:00:04.000Z', asked: 2, denied: 2 },
      { at: '2026-11-20T00:00:06.000Z', asked: 2, denied: 2 },
    ])
    expect(only.top.map(({ key, denials }) => [key, denials[0]])).toEqual([
      ['/b', { at: '2026-11-20T00:00:00.000Z', denied: 44 }],
      ['/a', { at: '2026-11-20T00:00:00.000Z', denied: 14 }],
    ])
  })

  test('has no worst five minutes if nothing is denied', async () => {
    const { variants } = await simulate({ log: jsonLog(traffic(10)), variants: { loose } })
    expect(variants[0]).toMatchObject({ worst: { from: '', share: 0 }, denials: [] })
  })

  test('names each of several policies, also one with the name "default"', async () => {
    const policies = {
      default: slidingWindow({ limit: 10, window: '1m' }),
      burst: slidingWindow({ limit: 5, window: '1s' }),
    }
    const single = { default: policies.default }
    const { variants } = await simulate({
      log: jsonLog(traffic(10)),
      variants: { a: { policies }, b: { policies: single }, c: { policies: policies.burst } },
    })
    expect(variants.map((variant) => variant.policies)).toEqual([
      policies,
      policies.default,
      policies.burst,
    ])
  })
})
