import { createLimiter, fixedWindow, SluiceError } from '@sluice/core'
import {
  AggregatorRegistry,
  Counter,
  Registry,
  type OpenMetricsContentType,
  type PrometheusContentType,
} from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { metricTable, prometheus } from '../src/index.js'
import { callStore, decide, failStore } from './events.js'
import { numbersOf } from './text.js'

const names = Object.values(metricTable).map(({ name }) => name)

function started(register = new Registry()): Registry {
  onTestFinished(prometheus(register))
  return register
}

test('the text has the decisions of real limiters, by limiter, outcome and source', async () => {
  const register = started()
  const limiter = createLimiter({
    name: 'prometheus',
    policies: {
      burst: fixedWindow({ limit: 2, window: '1h' }),
      day: fixedWindow({ limit: 3, window: '1d' }),
    },
  })
  for (let i = 0; i < 5; i++) limiter.consume('ada')
  limiter.consume('bob', { cost: 4 })
  limiter.peek('ada')
  expect(await numbersOf(register, 'sluice_decisions_total')).toEqual({
    'limiter="prometheus",outcome="allowed",source="store"': 2,
    'limiter="prometheus",outcome="denied",source="store"': 4,
  })
  expect(await numbersOf(register, 'sluice_denials_total')).toEqual({
    'limiter="prometheus",policy="burst"': 4,
    'limiter="prometheus",policy="day"': 1,
  })
  expect(await register.metrics()).not.toMatch(/ada|bob/)
})

test('the text has the help and the type of every metric', async () => {
  const register = started()
  callStore('redis', 1, 1)
  const text = await register.metrics()
  for (const { name, help, type } of Object.values(metricTable)) {
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
  }
})

test('the histogram has the calls up to each bound, their sum and their number', async () => {
  const register = started()
  for (const ms of [0.5, 0.6, 3, 250, 5000]) callStore('redis', 2, ms)
  const text = await numbersOf(register, 'sluice_store_call_duration_seconds_bucket')
  expect(Object.values(text)).toEqual([1, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5])
  expect(Object.keys(text)[0]).toBe('le="0.0005",store="redis"')
  expect(Object.keys(text)[12]).toBe('le="+Inf",store="redis"')
  const labels = 'store="redis"'
  expect(await numbersOf(register, 'sluice_store_call_duration_seconds_sum')).toEqual({
    [labels]: 5.2541,
  })
  expect(await numbersOf(register, 'sluice_store_call_duration_seconds_count')).toEqual({
    [labels]: 5,
  })
  expect(await numbersOf(register, 'sluice_store_requests_total')).toEqual({ [labels]: 10 })
})

test('names with quotes, line ends and backslashes are escaped', async () => {
  const register = started()
  decide('a"b\\c\nd', { source: 'local' })
  expect(await numbersOf(register, 'sluice_fallback_active')).toEqual({
    'limiter="a\\"b\\\\c\\nd"': 0,
  })
})

describe('a second call for a registry', () => {
  test('returns the same function, and counts each decision once', async () => {
    const register = new Registry()
    const stop = prometheus(register)
    expect(prometheus(register)).toBe(stop)
    decide('twice')
    expect(Object.values(await numbersOf(register, 'sluice_decisions_total'))).toEqual([1, 0])
    stop()
    expect(register.getMetricsAsArray()).toEqual([])
  })

  test('registers the metrics again that `clear` of the registry has removed', async () => {
    const register = started()
    decide('cleared')
    register.clear()
    expect(names.filter((name) => register.getSingleMetric(name))).toEqual([])
    prometheus(register)
    decide('cleared')
    expect(Object.values(await numbersOf(register, 'sluice_decisions_total'))).toEqual([2, 0])
  })

  test('after the counting was stopped, it continues, without the decisions in between', async () => {
    const register = new Registry()
    const stop = prometheus(register)
    decide('again')
    stop()
    decide('again')
    prometheus(register)
    decide('again')
    expect(Object.values(await numbersOf(register, 'sluice_decisions_total'))).toEqual([2, 0])
    stop()
    stop()
    expect(await register.metrics()).toBe('\n')
  })
})

test('two registries count the same decisions', async () => {
  const registers = [started(), started()]
  decide('both')
  for (const register of registers) {
    expect(Object.values(await numbersOf(register, 'sluice_decisions_total'))).toEqual([1, 0])
  }
})

test('a registry with a metric of the same name is an error, and nothing is registered', () => {
  const register = new Registry()
  const own = { help: 'its own', registers: [register], name: 'sluice_breaker_open' }
  const counter = new Counter(own)
  expect(codeOf(() => prometheus(register))).toBe('SLUICE_OPTION_INVALID')
  expect(() => prometheus(register)).toThrow(/without a metric sluice_breaker_open/)
  expect(register.getMetricsAsArray()).toEqual([counter])
})

test.each([undefined, null, {}, 'register', Registry])('%o is not a registry', (value) => {
  expect(codeOf(() => prometheus(value as never))).toBe('SLUICE_OPTION_INVALID')
})

describe('a registry of prom-client', () => {
  test('in the format OpenMetrics names counters with one suffix, also at the second time', async () => {
    const register = new Registry<OpenMetricsContentType>()
    register.setContentType('application/openmetrics-text; version=1.0.0; charset=utf-8')
    const stop = prometheus(register)
    failStore('redis', 'SLUICE_STORE_FAILED')
    const line = 'sluice_store_errors_total{store="redis",code="SLUICE_STORE_FAILED"} 1'
    expect((await register.metrics()).split('\n')).toContain(line)
    prometheus(register)
    const lines = (await register.metrics()).split('\n')
    expect(lines.filter((each) => each === line).length).toBe(1)
    stop()
    expect(register.getMetricsAsArray()).toEqual([])
  })

  test('adds its default labels', async () => {
    const register = started()
    register.setDefaultLabels({ app: 'shop' })
    decide('labelled')
    expect(await numbersOf(register, 'sluice_fallback_active')).toEqual({
      'limiter="labelled",app="shop"': 0,
    })
  })

  test('sets the numbers to zero by resetMetrics', async () => {
    const register = started()
    decide('reset')
    callStore('redis', 1, 1)
    register.resetMetrics()
    const found = await register.getMetricsAsJSON()
    const values = found.flatMap((metric) => metric.values.map(({ value }) => value))
    expect([values.length > 20, values.every((value) => value === 0)]).toEqual([true, true])
  })

  test('adds the numbers of the workers of node:cluster', async () => {
    const workers = await Promise.all(
      [1, 2].map(async (calls) => {
        const register = new Registry()
        const stop = prometheus(register)
        for (let i = 0; i < calls; i++) callStore('redis', 3, 1)
        stop()
        prometheus(register)
        // Workers send their numbers to the primary.
        const sent = JSON.parse(JSON.stringify(await register.getMetricsAsJSON()))
        stop()
        return sent
      }),
    )
    const whole = AggregatorRegistry.aggregate<PrometheusContentType>(workers)
    expect(await numbersOf(whole, 'sluice_store_requests_total')).toEqual({ 'store="redis"': 9 })
    const buckets = await numbersOf(whole, 'sluice_store_call_duration_seconds_bucket')
    expect(buckets['le="0.001",store="redis"']).toBe(3)
    expect(buckets['le="+Inf",store="redis"']).toBe(3)
  })
})

function codeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error instanceof SluiceError ? error.code : error
  }
}
