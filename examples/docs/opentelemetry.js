// The metrics of a limiter in OpenTelemetry.
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
// #region metrics
import { metrics } from '@opentelemetry/api'
import { openTelemetry } from '@sluice/metrics'
// #endregion

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
metrics.setGlobalMeterProvider(provider)

// #region metrics

// After the SDK has set its meter provider.
openTelemetry(metrics.getMeter('sluice'))
// #endregion

const policies = slidingWindow({ limit: 2, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
for (let i = 0; i < 3; i++) limiter.consume('ada')
await provider.forceFlush()
const [{ scopeMetrics }] = exporter.getMetrics()
const decisions = scopeMetrics[0].metrics.find(
  ({ descriptor }) => descriptor.name === 'sluice.decisions',
)
assert.deepEqual(
  decisions?.dataPoints.map(({ attributes, value }) => [attributes, value]),
  [
    [{ limiter: 'api', outcome: 'allowed', source: 'store' }, 2],
    [{ limiter: 'api', outcome: 'denied', source: 'store' }, 1],
  ],
)
await provider.shutdown()
