import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { createLimiter, slidingWindow, SluiceError } from '@sluice/core'
import { expect, onTestFinished, test } from 'vitest'
import { metricTable, openTelemetry } from '../src/index.js'
import { callStore, changeBreaker, changeRules, decide, failStore } from './events.js'

test('the SDK exports the decisions of real limiters', async () => {
  const { meter, exported } = started()
  onTestFinished(openTelemetry(meter))
  const policies = slidingWindow({ limit: 2, window: '1m' })
  const limiter = createLimiter({ name: 'open-telemetry', policies })
  for (let i = 0; i < 3; i++) limiter.consume('ada')
  const own = { limiter: 'open-telemetry' }
  expect(await exported('sluice.decisions')).toEqual([
    [{ ...own, outcome: 'allowed', source: 'store' }, 2],
    [{ ...own, outcome: 'denied', source: 'store' }, 1],
  ])
  expect(await exported('sluice.denials')).toEqual([[{ ...own, policy: 'default' }, 1]])
})

test('every metric of the table has an instrument, with its description and unit', async () => {
  const { meter, descriptors } = started()
  onTestFinished(openTelemetry(meter))
  decide('all', { allowed: false, deniedBy: ['default'] })
  decide('all', { allowed: false, deniedBy: ['default'] }, 'shadow')
  callStore('redis', 2, 3)
  changeRules({
    state: 'loaded',
    name: 'all',
    version: '1',
    error: undefined,
    changes: undefined,
    warnings: [],
  })
  const types = {
    counter: 'OBSERVABLE_COUNTER',
    gauge: 'OBSERVABLE_GAUGE',
    histogram: 'HISTOGRAM',
  }
  const wanted = Object.values(metricTable).map(({ openTelemetryName, help, unit, type }) => {
    return [openTelemetryName, help, unit, types[type]]
  })
  expect(new Set(await descriptors())).toEqual(new Set(wanted))
})

test('the histogram has the calls in seconds, in the buckets of Prometheus', async () => {
  const { meter, exported } = started()
  onTestFinished(openTelemetry(meter))
  for (const ms of [0.5, 3, 5000]) callStore('redis', 4, ms)
  const [[labels, histogram]] = await exported('sluice.store.call.duration')
  expect(labels).toEqual({ store: 'redis' })
  expect(histogram).toMatchObject({
    count: 3,
    sum: 5.0035,
    buckets: {
      boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      counts: [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    },
  })
  expect(await exported('sluice.store.requests')).toEqual([[{ store: 'redis' }, 12]])
})

test('a second call for a meter returns the same function, and each event counts once', async () => {
  const { meter, exported } = started()
  const stop = openTelemetry(meter)
  onTestFinished(stop)
  expect(openTelemetry(meter)).toBe(stop)
  failStore('redis', 'SLUICE_STORE_CONTENDED')
  callStore('redis', 1, 1)
  expect(await exported('sluice.store.errors')).toContainEqual([
    { store: 'redis', code: 'SLUICE_STORE_CONTENDED' },
    1,
  ])
  expect(await exported('sluice.store.call.duration')).toMatchObject([[{}, { count: 1 }]])
})

test('a stopped export has no open breaker, and continues its counters if it is started again', async () => {
  const { meter, exported } = started()
  const stop = openTelemetry(meter)
  onTestFinished(stop)
  decide('stopped')
  changeBreaker('redis', 'open')
  expect(await exported('sluice.breaker.open')).toEqual([[{ store: 'redis' }, 1]])
  stop()
  decide('stopped')
  // The breaker can have closed since.
  expect(await exported('sluice.breaker.open')).toEqual([[{ store: 'redis' }, 0]])
  expect((await exported('sluice.decisions'))[0][1]).toBe(1)
  openTelemetry(meter)
  decide('stopped')
  expect((await exported('sluice.decisions'))[0][1]).toBe(2)
})

test.each([undefined, null, {}, 'meter'])('%o is not a meter', (value) => {
  const call = () => openTelemetry(value as never)
  expect(call).toThrow(SluiceError)
  expect(call).toThrow(/"meter" is .* Pass a meter of @opentelemetry\/api/)
})

/** A real SDK that exports into memory, on demand. */
function started() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => provider.shutdown())

  async function metrics() {
    exporter.reset()
    await provider.forceFlush()
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  }

  return {
    meter: provider.getMeter('sluice'),
    async exported(name: string): Promise<(readonly [labels: object, value: unknown])[]> {
      const found = (await metrics()).filter(({ descriptor }) => descriptor.name === name)
      return found.flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => [attributes, value] as const),
      )
    },
    async descriptors() {
      return (await metrics()).map(({ descriptor }) => {
        const { name, description, unit } = descriptor
        return [name, description, unit, 'type' in descriptor ? descriptor.type : undefined]
      })
    },
  }
}
