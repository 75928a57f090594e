import { once } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { concurrency, limited } from '../../src/index.js'
import { forAll, limiterOf, pass, useTimers } from './limited-bench.js'

beforeEach(useTimers)
afterEach(() => {
  vi.useRealTimers()
})

const minute = 60_000

test.each<[string, number, { maxHold?: string }]>([
  ['an hour', 60, {}],
  ['its maxHold', 10, { maxHold: '10m' }],
])(
  'the lease of a function that hangs is renewed for %s, and then expires with a warning',
  async (_, minutes, options) => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '3m' }))
    const warned = once(process, 'warning')
    void limited(limiter, forAll, options)(async () => new Promise(() => {}))()
    await pass(0)
    for (let i = 0; i < minutes; i++) await pass(minute)
    expect(limiter.peek('all').allowed).toBe(false)
    const [warning] = await warned
    expect(warning).toMatchObject({ code: 'SLUICE_HELD_LONG' })
    expect(String(warning)).toContain(
      `limiter "calls": a limited function has held its lease for ${minutes * minute} ms`,
    )
    await pass(3 * minute)
    expect(limiter.peek('all').allowed).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('a function that ends in time causes no warning', async () => {
  const limiter = limiterOf(concurrency({ limit: 1, lease: '3m' }))
  const warnings: unknown[] = []
  const note = (warning: unknown): number => warnings.push(warning)
  process.on('warning', note)
  let end = (_value: string): void => {}
  const ended = new Promise<string>((resolve) => (end = resolve))
  const result = limited(limiter, forAll)(async () => ended)()
  for (let i = 0; i < 59; i++) await pass(minute)
  end('done')
  expect(await result).toBe('done')
  await pass(10 * minute)
  process.off('warning', note)
  expect([warnings, limiter.peek('all').allowed]).toEqual([[], true])
})
