// @ts-nocheck -- events of a channel have no type
// The decisions of a limiter as a counter of OpenTelemetry.
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
// #region metrics
import { subscribe } from 'node:diagnostics_channel'
import { metrics } from '@opentelemetry/api'
// #endregion

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
metrics.setGlobalMeterProvider(provider)

// #region metrics

// After the SDK has set its meter provider.
const decisions = metrics.getMeter('sluice').createCounter('sluice.decisions')

subscribe('sluice:decision', ({ limiter, decision: { allowed, source } }) => {
  decisions.add(1, { limiter, outcome: allowed ? 'allowed' : 'denied', source })
})
// #endregion

const policies = slidingWindow({ limit: 2, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
for (let i = 0; i < 3; i++) limiter.consume('ada')
await provider.forceFlush()
const [{ scopeMetrics }] = exporter.getMetrics()
const points = scopeMetrics[0].metrics[0].dataPoints
assert.deepEqual(
  points.map(({ attributes, value }) => [attributes, value]),
  [
    [{ limiter: 'api', outcome: 'allowed', source: 'store' }, 2],
    [{ limiter: 'api', outcome: 'denied', source: 'store' }, 1],
  ],
)
await provider.shutdown()
