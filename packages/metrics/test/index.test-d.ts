// Checked by the compiler alone: npm run check:types. The types fit both libraries, although this package imports neither.
import { metrics, type Meter } from '@opentelemetry/api'
import type {
  BreakerEvent,
  DecisionEvent,
  FallbackEvent,
  StoreCallEvent,
  StoreErrorEvent,
} from '@sluice/core'
import type { RulesEvent } from '@sluice/rules'
import {
  AggregatorRegistry,
  register,
  Registry,
  type OpenMetricsContentType,
  type PrometheusContentType,
} from 'prom-client'
import { expectTypeOf } from 'vitest'
import type { Events } from '../src/recorder.js'
import { openTelemetry, prometheus } from '../src/index.js'

expectTypeOf(prometheus(register)).toEqualTypeOf<() => void>()
prometheus(new Registry<OpenMetricsContentType>())
prometheus(new AggregatorRegistry<PrometheusContentType>())
const meter: Meter = metrics.getMeter('sluice')
expectTypeOf(openTelemetry(meter)).toEqualTypeOf<() => void>()

// @ts-expect-error: a meter is not a registry
prometheus(meter)
// @ts-expect-error: a registry is not a meter
openTelemetry(register)

// The events that are counted are those that are published.
expectTypeOf<DecisionEvent>().toExtend<Events['sluice:decision']>()
expectTypeOf<StoreCallEvent>().toExtend<Events['sluice:store:call']>()
expectTypeOf<StoreErrorEvent>().toExtend<Events['sluice:store:error']>()
expectTypeOf<BreakerEvent>().toExtend<Events['sluice:breaker']>()
expectTypeOf<FallbackEvent>().toExtend<Events['sluice:fallback']>()
expectTypeOf<RulesEvent>().toExtend<Events['sluice:rules']>()
