import { isFunction, memberOf, sluiceError } from '@sluice/core/internal'
import { callBuckets, metricIds, metricTable } from './metric-table.js'
import { createRecorder, type Recorder } from './recorder.js'

/** The parts of a meter of `@opentelemetry/api` that `openTelemetry` uses. */
export interface OpenTelemetryMeter {
  createObservableCounter(name: string, options: InstrumentOptions): ObservableInstrument
  createObservableGauge(name: string, options: InstrumentOptions): ObservableInstrument
  createHistogram(name: string, options: InstrumentOptions): RecordingInstrument
}

/** The options that the instruments are made with. */
export interface InstrumentOptions {
  readonly description: string
  readonly unit: string
  readonly advice?: { explicitBucketBoundaries: number[] }
}

/** An instrument whose numbers are read at each export. */
export interface ObservableInstrument {
  addCallback(callback: ObservingCallback): void
}

/** Passes the current numbers to an instrument. */
export type ObservingCallback = (result: {
  observe(value: number, attributes: Readonly<Record<string, string>>): void
}) => void

/** An instrument that records each value. */
export interface RecordingInstrument {
  record(value: number, attributes: Readonly<Record<string, string>>): void
}

const meters = new WeakMap<OpenTelemetryMeter, Recorder>()

/**
 * Makes instruments for the metrics of all limiters of this process, and counts from now on. A second call for a meter changes nothing, and returns the same
 * function. That function stops the counting: the counters keep their numbers, and the gauges are zero. Take the meter after the SDK has set its meter provider: a
 * meter from before exports nothing.
 *
 * @example
 * import { metrics } from '@opentelemetry/api'
 * import { openTelemetry } from '@sluice/metrics'
 *
 * openTelemetry(metrics.getMeter('sluice'))
 * @throws SluiceError if the value is not a meter
 */
export function openTelemetry(meter: OpenTelemetryMeter): () => void {
  if (!isMeter(meter)) {
    const expected = `a meter of @opentelemetry/api, such as metrics.getMeter('sluice')`
    throw sluiceError('SLUICE_OPTION_INVALID', 'openTelemetry', 'meter', meter, expected)
  }
  const recorder = meters.get(meter) ?? createInstruments(meter)
  meters.set(meter, recorder)
  recorder.start()
  return recorder.stop
}

function createInstruments(meter: OpenTelemetryMeter): Recorder {
  const { storeCallDuration } = metricTable
  const durations = meter.createHistogram(storeCallDuration.openTelemetryName, {
    description: storeCallDuration.help,
    unit: storeCallDuration.unit,
    advice: { explicitBucketBoundaries: [...callBuckets] },
  })
  const recorder = createRecorder((labels, seconds) => durations.record(seconds, labels))
  for (const id of metricIds) {
    const { type, openTelemetryName, help, unit } = metricTable[id]
    if (type === 'histogram') continue
    const options = { description: help, unit }
    const instrument =
      type === 'counter'
        ? meter.createObservableCounter(openTelemetryName, options)
        : meter.createObservableGauge(openTelemetryName, options)
    const { series } = recorder.families[id]
    // It stays after a stop: without it, the SDK would export the last numbers for ever, those of the gauges too.
    instrument.addCallback((result) => {
      for (const { value, labels } of series) result.observe(value, labels)
    })
  }
  return recorder
}

function isMeter(value: unknown): value is OpenTelemetryMeter {
  const methods = ['createObservableCounter', 'createObservableGauge', 'createHistogram']
  return methods.every((name) => isFunction(memberOf(value, name)))
}
