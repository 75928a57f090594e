import { Registry } from 'prom-client'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { prometheus } from '../src/index.js'
import { callStore, changeBreaker, changeFallback, decide, failStore, publish } from './events.js'
import { numbersOf } from './text.js'

let register: Registry

beforeEach(() => {
  register = new Registry()
  const stop = prometheus(register)
  return () => stop()
})

describe('sluice_decisions_total', () => {
  test('has each outcome and source', async () => {
    decide('api')
    decide('api', { exempt: true })
    decide('api', { source: 'fallback' })
    decide('api', { source: 'open' })
    decide('api', { allowed: false, source: 'local', deniedBy: ['default'] })
    decide('api', { allowed: false, source: 'closed', deniedBy: ['default'] })
    expect(await numbersOf(register, 'sluice_decisions_total')).toEqual({
      'limiter="api",outcome="allowed",source="store"': 1,
      'limiter="api",outcome="denied",source="store"': 0,
      'limiter="api",outcome="exempt",source="store"': 1,
      'limiter="api",outcome="allowed",source="fallback"': 1,
      'limiter="api",outcome="allowed",source="open"': 1,
      'limiter="api",outcome="denied",source="local"': 1,
      'limiter="api",outcome="denied",source="closed"': 1,
    })
  })

  test('has 200 limiters, and counts all others as "other"', async () => {
    for (let i = 0; i < 300; i++) decide(`limiter ${i}`)
    decide('limiter 0')
    decide('limiter 299')
    const numbers = await numbersOf(register, 'sluice_decisions_total')
    const allowed = Object.entries(numbers).filter(([labels]) => labels.includes('"allowed"'))
    expect(allowed.length).toBe(201)
    expect(numbers['limiter="limiter 0",outcome="allowed",source="store"']).toBe(2)
    expect(numbers['limiter="limiter 199",outcome="allowed",source="store"']).toBe(1)
    expect(numbers['limiter="other",outcome="allowed",source="store"']).toBe(101)
    expect(allowed.reduce((sum, [, value]) => sum + value, 0)).toBe(302)
  })
})

test('sluice_denials_total has 1,000 policies of all limiters, and the others of each limiter as "other"', async () => {
  const deny = (limiter: string, policy: string): void =>
    decide(limiter, { allowed: false, deniedBy: [policy] })
  for (let i = 0; i < 5000; i++) deny('many', `customer ${i}`)
  for (let i = 0; i < 3; i++) deny('few', 'late')
  const numbers = await numbersOf(register, 'sluice_denials_total')
  expect(Object.keys(numbers).length).toBe(1002)
  expect(numbers['limiter="many",policy="customer 999"']).toBe(1)
  expect(numbers['limiter="many",policy="other"']).toBe(4000)
  expect(numbers['limiter="few",policy="other"']).toBe(3)
})

test('a policy of the 1,000 has both its denials and its would-denials', async () => {
  for (let i = 0; i < 1001; i++) {
    for (const mode of ['enforced', 'dryRun'] as const) {
      decide('both', { allowed: false, deniedBy: [`customer ${i}`] }, mode)
    }
  }
  for (const name of ['sluice_denials_total', 'sluice_would_deny_total']) {
    const numbers = await numbersOf(register, name)
    expect(numbers['limiter="both",policy="customer 999"']).toBe(1)
    expect(numbers['limiter="both",policy="other"']).toBe(1)
  }
})

test('sluice_would_deny_total has the denials that deny no request, and sluice_denials_total has the others', async () => {
  const denied = { allowed: false, deniedBy: ['minute', 'day'] }
  decide('api', denied)
  for (const mode of ['dryRun', 'shadow', 'tagging'] as const) {
    decide('api', denied, mode)
    decide('api', {}, mode)
  }
  expect(await numbersOf(register, 'sluice_would_deny_total')).toEqual({
    'limiter="api",policy="minute"': 3,
    'limiter="api",policy="day"': 3,
  })
  expect(await numbersOf(register, 'sluice_denials_total')).toEqual({
    'limiter="api",policy="minute"': 1,
    'limiter="api",policy="day"': 1,
  })
  expect(await numbersOf(register, 'sluice_decisions_total')).toEqual({
    'limiter="api",outcome="allowed",source="store"': 0,
    'limiter="api",outcome="denied",source="store"': 1,
    'limiter="api",outcome="would_allow",source="store"': 3,
    'limiter="api",outcome="would_deny",source="store"': 3,
  })
})

test('sluice_fallback_active has the limiters of a name that decide without their store', async () => {
  decide('api')
  const active = () => numbersOf(register, 'sluice_fallback_active')
  expect(await active()).toEqual({ 'limiter="api"': 0 })
  changeFallback('api', 'begun')
  changeFallback('api', 'begun')
  expect(await active()).toEqual({ 'limiter="api"': 2 })
  changeFallback('api', 'ended')
  expect(await active()).toEqual({ 'limiter="api"': 1 })
  changeFallback('api', 'ended')
  // It had begun before the counting.
  changeFallback('api', 'ended')
  expect(await active()).toEqual({ 'limiter="api"': 0 })
})

test('the metrics of a store begin at zero, and have its errors and its breaker', async () => {
  callStore('redis', 1, 1)
  const errors = () => numbersOf(register, 'sluice_store_errors_total')
  expect(await errors()).toEqual({
    'store="redis",code="SLUICE_STORE_FAILED"': 0,
    'store="redis",code="SLUICE_STORE_TIMEOUT"': 0,
  })
  expect(await numbersOf(register, 'sluice_breaker_open')).toEqual({ 'store="redis"': 0 })
  failStore('redis', 'SLUICE_STORE_TIMEOUT')
  failStore('postgres', 'SLUICE_STORE_DAMAGED')
  changeBreaker('redis', 'open')
  expect(await errors()).toEqual({
    'store="redis",code="SLUICE_STORE_FAILED"': 0,
    'store="redis",code="SLUICE_STORE_TIMEOUT"': 1,
    'store="postgres",code="SLUICE_STORE_FAILED"': 0,
    'store="postgres",code="SLUICE_STORE_TIMEOUT"': 0,
    'store="postgres",code="SLUICE_STORE_DAMAGED"': 1,
  })
  expect(await numbersOf(register, 'sluice_breaker_open')).toEqual({
    'store="redis"': 1,
    'store="postgres"': 0,
  })
  changeBreaker('redis', 'closed')
  expect((await numbersOf(register, 'sluice_breaker_open'))['store="redis"']).toBe(0)
})

test('an event of another program ends nothing', async () => {
  const uncaught = vi.fn()
  process.on('uncaughtException', uncaught)
  onTestFinished(() => void process.off('uncaughtException', uncaught))
  const channels = ['decision', 'store:call', 'store:error', 'breaker', 'fallback', 'rules']
  const events = [undefined, null, 7, 'text', {}, [], { decision: null }, { error: null }]
  for (const name of channels) for (const event of events) publish(`sluice:${name}`, event)
  const throwing = {
    get limiter(): never {
      throw new Error('no limiter')
    },
  }
  for (const name of channels) publish(`sluice:${name}`, throwing)
  await new Promise(setImmediate)
  expect(uncaught.mock.calls).toEqual([])
  decide('api')
  expect((await register.metrics()).includes('limiter="api"')).toBe(true)
})

test('a limiter whose store fails ten thousand times, and another one meanwhile, end at zero', async () => {
  changeFallback('other store', 'begun')
  for (let i = 0; i < 10_000; i++) {
    changeFallback('api', 'begun')
    changeBreaker('redis', 'open')
    changeBreaker('redis', 'closed')
    changeFallback('api', 'ended')
  }
  const active = () => numbersOf(register, 'sluice_fallback_active')
  expect(await active()).toEqual({ 'limiter="api"': 0, 'limiter="other store"': 1 })
  expect(await numbersOf(register, 'sluice_breaker_open')).toEqual({ 'store="redis"': 0 })
  changeFallback('other store', 'ended')
  expect(await active()).toEqual({ 'limiter="api"': 0, 'limiter="other store"': 0 })
})

test.each([
  ['begun first', ['old', 'new']],
  ['begun last', ['new', 'old']],
])(
  'the limiters beyond the bound are active until the last one has ended, also the one %s',
  async (_, order) => {
    for (let i = 0; i < 200; i++) decide(`limiter ${i}`)
    for (const limiter of ['old', 'new']) changeFallback(limiter, 'begun')
    const active = async () =>
      (await numbersOf(register, 'sluice_fallback_active'))['limiter="other"']
    expect(await active()).toBe(2)
    changeFallback(order[0], 'ended')
    expect(await active()).toBe(1)
    changeFallback(order[1], 'ended')
    expect(await active()).toBe(0)
  },
)

test('a store has 20 codes of errors, and a limiter five sources of each outcome, and the others as "other"', async () => {
  for (let i = 0; i < 30; i++) {
    failStore('redis', `CODE_${i}`)
    decide('api', { source: `source ${i}` as 'store' })
  }
  const errors = await numbersOf(register, 'sluice_store_errors_total')
  expect(Object.keys(errors).length).toBe(21)
  expect(errors['store="redis",code="CODE_17"']).toBe(1)
  expect(errors['store="redis",code="other"']).toBe(12)
  const decisions = await numbersOf(register, 'sluice_decisions_total')
  const allowed = Object.entries(decisions).filter(([labels]) => labels.includes('"allowed"'))
  expect(allowed.length).toBe(6)
  expect(decisions['limiter="api",outcome="allowed",source="other"']).toBe(26)
})
