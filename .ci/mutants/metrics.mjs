const root = 'packages/metrics/src'

export const area = 'metrics'

export const tests = [
  'packages/metrics/test/counting packages/metrics/test/prometheus packages/metrics/test/open-telemetry packages/metrics/test/rules',
]

export const mutants = [
  {
    file: `${root}/counting/bounded.ts`,
    name: 'an application has a series for each of its names',
    find: 'if (this.#room.left <= 0) return this.get(other)',
    replace: '',
  },
  {
    file: `${root}/counting/bounded.ts`,
    name: 'names take no room',
    find: 'this.#room.left--',
    replace: '',
  },
  {
    file: `${root}/counting/bounded.ts`,
    name: 'there is room for one name more',
    find: 'this.#room.left <= 0',
    replace: 'this.#room.left < 0',
  },
  {
    file: `${root}/counting/bounded.ts`,
    name: 'a name has a new series each time',
    find: 'this.#values.set(name, value)',
    replace: '',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'an exempt decision counts as allowed',
    find: 'exempt === true ? this.#exempt : this.#allowed',
    replace: 'exempt === undefined ? this.#allowed : this.#allowed',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'a denial counts as none of its policies',
    find: 'counts[kind].value++',
    replace: '',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'a dry run allows requests, in the share of denied ones',
    find: 'isEnforced ? enforced : this.#wouldAllow',
    replace: 'enforced',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'a dry run denies requests',
    find: "const isEnforced = mode === 'enforced'",
    replace: "const isEnforced = mode !== 'shadow'",
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'the first denial is not an increase',
    find: `    this.#denied.get('store')\n`,
    replace: '',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'a gauge is below zero',
    find: 'Math.max(0, series.value + (begins ? 1 : -1))',
    replace: 'series.value + (begins ? 1 : -1)',
  },
  {
    file: `${root}/counting/limiter-counts.ts`,
    name: 'a gauge is 1 for several limiters',
    find: 'Math.max(0, series.value + (begins ? 1 : -1))',
    replace: 'begins ? 1 : 0',
  },
  {
    file: `${root}/counting/store-counts.ts`,
    name: 'a duration is in milliseconds',
    find: 'durationMs / 1000',
    replace: 'durationMs',
  },
  {
    file: `${root}/counting/store-counts.ts`,
    name: 'a call counts as one request',
    find: 'this.#requests.value += requests',
    replace: 'this.#requests.value += requests > 0 ? 1 : 0',
  },
  {
    file: `${root}/counting/store-counts.ts`,
    name: 'the first error is not an increase',
    find: 'for (const code of usualCodes) this.#errors.get(code)',
    replace: '',
  },
  {
    file: `${root}/counting/rules-counts.ts`,
    name: 'a source that fails ends a rejection',
    find: `if (state !== 'source-failed' && name`,
    replace: 'if (name',
  },
  {
    file: `${root}/counting/rules-counts.ts`,
    name: 'a rejected document has a time',
    find: `if (state === 'loaded') this.#noteTime()`,
    replace: `if (state !== 'source-failed') this.#noteTime()`,
  },
  {
    file: `${root}/counting/rules-counts.ts`,
    name: 'the time of a document is in milliseconds',
    find: 'Date.now() / 1000',
    replace: 'Date.now()',
  },
  {
    file: `${root}/counting/events.ts`,
    name: 'an event of another program ends the process',
    find: `    } catch {
      // Nothing to count.
    }`,
    replace: '    } finally {\n      void 0\n    }',
  },
  {
    file: `${root}/counting/events.ts`,
    name: 'the counting is never stopped',
    find: 'unsubscribe(channel, listen)',
    replace: 'void unsubscribe',
  },
  {
    file: `${root}/counting/recorder.ts`,
    name: 'a second start counts each event twice',
    find: 'if (isRunning) return',
    replace: '',
  },
  {
    file: `${root}/counting/recorder.ts`,
    name: 'a gauge stays after a stop',
    find: 'for (const one of series) one.value = 0',
    replace: 'void series',
  },
  {
    file: `${root}/exporting/bucket-counts.ts`,
    name: 'a bound is not in its bucket',
    find: 'seconds <= bound',
    replace: 'seconds < bound',
  },
  {
    file: `${root}/exporting/bucket-counts.ts`,
    name: 'a long call is in no bucket',
    find: 'found === -1 ? callBuckets.length : found',
    replace: 'found',
  },
  {
    file: `${root}/exporting/prometheus-metric.ts`,
    name: 'a bucket has only its own calls',
    find: 'count += own',
    replace: 'count = own',
  },
  {
    file: `${root}/exporting/prometheus-metric.ts`,
    name: 'the series of a histogram have the name of the table, whatever the format of the registry',
    find: 'metricName: `${name}_count`',
    replace: 'metricName: `${name}_number`',
  },
  {
    file: `${root}/exporting/prometheus-metric.ts`,
    name: 'workers have no joined value',
    find: `    const { name, help, type, aggregator } = this\n`,
    replace: `    const { name, help, type } = this\n    const aggregator = 'max'\n`,
  },
  {
    file: `${root}/prometheus.ts`,
    name: 'a second call registers nothing after clear',
    find: 'registrations.get(register) ?? createRegistration(register)\n  registration.start()',
    replace:
      'registrations.get(register) ?? createRegistration(register)\n  if (!registrations.has(register)) registration.start()',
  },
  {
    file: `${root}/prometheus.ts`,
    name: 'some metrics are registered before a name is found to be taken',
    find: 'for (const { description } of absent) assertFree(register, description.name)',
    replace: 'assertFree(register, absent[0]?.description.name ?? "")',
  },
  {
    file: `${root}/prometheus.ts`,
    name: 'a metric is registered twice in the format OpenMetrics',
    find: 'const absent = metrics.filter((metric) => !isRegistered(register, metric))',
    replace: 'const absent = metrics',
  },
  {
    file: `${root}/prometheus.ts`,
    name: 'a stop leaves the metrics in the registry',
    find: 'if (isRegistered(register, metric)) register.removeSingleMetric(metric.description.name)',
    replace: '',
  },
  {
    file: `${root}/open-telemetry.ts`,
    name: 'a second call for a meter counts twice',
    find: 'meters.get(meter) ?? createInstruments(meter)',
    replace: 'createInstruments(meter)',
  },
  {
    file: `${root}/open-telemetry.ts`,
    name: 'the histogram has the buckets of the SDK',
    find: 'explicitBucketBoundaries: [...callBuckets]',
    replace: 'explicitBucketBoundaries: []',
  },
]
