import { concurrency } from '@sluice/core'
import type { RulesText } from '@sluice/rules'
import { expect, test } from 'vitest'
import { simulate, type SimulatedVariant } from '../../src/simulate/index.js'
import { jsonLog, start } from './logs.js'

const slots: RulesText = {
  text: 'version: 1\nname: site\nrules:\n  - { id: slots, key: ip, policy: { kind: concurrency, limit: 1, lease: 1m } }\n',
  format: 'yaml',
  files: new Map(),
}

const variants: Readonly<Record<string, SimulatedVariant>> = {
  policies: { policies: concurrency({ limit: 1, lease: '1m' }) },
  rules: { rules: slots },
}

test('a lease is free in the very millisecond in which its request ends, and not before', async () => {
  const ip = '192.0.2.1'
  const lines = [
    { at: start + 1, ip, durationMs: 1000 },
    { at: start + 1000, ip, durationMs: 5 },
    { at: start + 1001, ip, durationMs: 10 },
    { at: start + 1010, ip, durationMs: 5 },
    { at: start + 1011, ip, durationMs: 5 },
    // It lasts longer than its lease, which ends by itself.
    { at: start + 2000, ip, durationMs: 100_000 },
    { at: start + 61_999, ip, durationMs: 5 },
    { at: start + 62_000, ip, durationMs: 5 },
  ]
  const { variants: reports } = await simulate({ log: jsonLog(lines), variants })
  const times = [1000, 1010, 61_999].map((ms) => new Date(start + ms).toISOString())
  for (const { asked, denied, top } of reports) {
    expect({ asked, denied }).toEqual({ asked: 8, denied: 3 })
    expect([top[0].first, top[0].last]).toEqual([times[0], times[2]])
  }
})

test('each request of several releases its own lease', async () => {
  const lines = ['192.0.2.1', '192.0.2.2'].flatMap((ip, i) => [
    { at: start + 1 + i, ip, durationMs: 1000 * (i + 1) },
    { at: start + 1500 + i, ip, durationMs: 5 },
  ])
  const { variants: reports } = await simulate({ log: jsonLog(lines), variants })
  expect(reports.map(({ top }) => top.map(({ key, denied }) => [key, denied]))).toEqual([
    [['192.0.2.2', 1]],
    [['slots 192.0.2.2', 1]],
  ])
})

test.each([
  ['shorter', [5000, 1000]],
  ['longer', [1000, 5000]],
])(
  'of two leases of one key, each ends with its own request, also if the second is %s',
  async (_, lengths) => {
    const ip = '192.0.2.1'
    const text = slots.text.replace('limit: 1', 'limit: 2')
    const lines = [
      ...lengths.map((durationMs, i) => ({ at: start + 1 + i, ip, durationMs })),
      // Both are held, then only the longer one is, then none is.
      { at: start + 900, ip, durationMs: 5 },
      { at: start + 2000, ip, durationMs: 100 },
      { at: start + 2050, ip, durationMs: 100 },
      { at: start + 6000, ip, durationMs: 100 },
      { at: start + 6050, ip, durationMs: 100 },
      { at: start + 6060, ip, durationMs: 100 },
    ]
    const { variants: reports } = await simulate({
      log: jsonLog(lines),
      variants: {
        policies: { policies: concurrency({ limit: 2, lease: '1m' }) },
        rules: { rules: { ...slots, text } },
      },
    })
    const times = [900, 6060].map((ms) => new Date(start + ms).toISOString())
    for (const { asked, denied, top } of reports) {
      expect({ asked, denied }).toEqual({ asked: 8, denied: 3 })
      expect([top[0].first, top[0].last]).toEqual(times)
    }
  },
)

test('all leases that have ended are released before the next request', async () => {
  const ips = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  const lines = [
    ...ips.map((ip, i) => ({ at: start + 1 + i, ip, durationMs: 100 })),
    { at: start + 1000, ip: ips[2], durationMs: 100 },
  ]
  const { variants: reports } = await simulate({ log: jsonLog(lines), variants })
  expect(reports.map(({ asked, denied }) => [asked, denied])).toEqual([
    [4, 0],
    [4, 0],
  ])
})

test('ten thousand requests that follow each other each have the only lease', async () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => {
    return { at: start + 1 + i * 10, ip: '192.0.2.1', durationMs: 10 }
  })
  const { variants: reports } = await simulate({ log: jsonLog(lines), variants })
  expect(reports.map(({ asked, denied }) => [asked, denied])).toEqual([
    [10_000, 0],
    [10_000, 0],
  ])
})
