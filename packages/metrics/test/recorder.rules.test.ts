import { once } from 'node:events'
import { loadRules, pollSource } from '@sluice/rules'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prometheus } from '../src/index.js'
import { numbersOf } from './text.js'

let register: Registry
let stop: () => void

beforeEach(() => {
  register = new Registry()
  stop = prometheus(register)
  vi.useFakeTimers({ toFake: ['Date'], now: 1_763_683_200_000 })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

const document = (limit: number): string => `
version: 1
name: shop
rules:
  - { id: all, limit: ${limit}, window: 1m }
`

test('real rules have their loads by outcome, the time of the last load, and whether the latest document is rejected', async () => {
  let text: string | Error = document(1)
  const source = pollSource(async () => {
    if (text instanceof Error) throw text
    return text
  })
  const rules = await loadRules({ source })
  const numbers = async () => ({
    loads: Object.values(await numbersOf(register, 'sluice_rules_loads_total')),
    loadedAt: await numbersOf(register, 'sluice_rules_loaded_timestamp_seconds'),
    rejected: await numbersOf(register, 'sluice_rules_rejected'),
  })
  const first = { 'limiter="shop"': 1_763_683_200 }
  const [no, yes] = [{ 'limiter="shop"': 0 }, { 'limiter="shop"': 1 }]
  expect(await numbers()).toEqual({ loads: [1, 0, 0], loadedAt: first, rejected: no })

  vi.setSystemTime(1_763_683_260_500)
  text = document(-1)
  await failed(rules.reload())
  expect(await numbers()).toEqual({ loads: [1, 1, 0], loadedAt: first, rejected: yes })

  text = new Error('connection refused')
  await failed(rules.reload())
  // The source fails, and the latest document is still the rejected one.
  expect(await numbers()).toEqual({ loads: [1, 1, 1], loadedAt: first, rejected: yes })

  text = document(2)
  await rules.reload()
  const second = { 'limiter="shop"': 1_763_683_260.5 }
  expect(await numbers()).toEqual({ loads: [2, 1, 1], loadedAt: second, rejected: no })
  expect(Object.keys(await numbersOf(register, 'sluice_rules_loads_total'))).toEqual([
    'limiter="shop",outcome="loaded"',
    'limiter="shop",outcome="rejected"',
    'limiter="shop",outcome="source-failed"',
  ])
  rules.close()
})

/** Waits for a call to reject, and for the warning of its failure. */
async function failed(call: Promise<void>): Promise<void> {
  const warning = once(process, 'warning')
  await expect(call).rejects.toThrow()
  await warning
}

test('a document that is rejected is one warning, although its event is counted', async () => {
  const warnings: string[] = []
  const note = (warning: Error & { code?: string }): void => void warnings.push(`${warning.code}`)
  process.on('warning', note)
  const other = prometheus(new Registry())
  const rules = await loadRules({ source: pollSource(() => documents.pop() ?? '') })
  await expect(rules.reload()).rejects.toThrow()
  await new Promise(setImmediate)
  other()
  process.off('warning', note)
  rules.close()
  expect(warnings).toEqual(['SLUICE_RULES_STALE'])
})

const documents = [document(-1), document(1)]

test('before their first document, rules have the name "unknown", and a rejected one is not a warning', async () => {
  const warnings = vi.fn()
  process.on('warning', warnings)
  await expect(loadRules({ source: pollSource(() => document(-1)) })).rejects.toThrow()
  await new Promise(setImmediate)
  process.off('warning', warnings)
  expect(warnings.mock.calls).toEqual([])
  expect(await numbersOf(register, 'sluice_rules_loads_total')).toEqual({
    'limiter="unknown",outcome="loaded"': 0,
    'limiter="unknown",outcome="rejected"': 1,
    'limiter="unknown",outcome="source-failed"': 0,
  })
  expect(await numbersOf(register, 'sluice_rules_rejected')).toEqual({ 'limiter="unknown"': 0 })
})
