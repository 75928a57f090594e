import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mostValues } from '../src/family.js'
import { metricTable } from '../src/index.js'
import {
  alertQueries,
  alerts,
  labelsIn,
  metricsIn,
  panelQueries,
  variableQueries,
  type Query,
} from './queries.js'

const metrics = Object.values(metricTable)

/** Prometheus itself adds these labels: of the scraped process, and of the buckets. */
const ofPrometheus = ['job', 'instance', 'le']

/** The labels of each series that a registry has: a histogram has three kinds of series. */
const labelsOf = new Map<string, readonly string[]>(
  metrics.flatMap(({ name, type, labels }) => {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    return names.map((suffix) => [name + suffix, labels] as const)
  }),
)

test('each metric of the table has a name of its own', () => {
  for (const names of [
    metrics.map(({ name }) => name),
    metrics.map((one) => one.openTelemetryName),
  ]) {
    expect(new Set(names).size).toBe(metrics.length)
  }
})

test('the names follow the rules of Prometheus, and are those that OpenTelemetry has in Prometheus', () => {
  for (const { name, openTelemetryName, type, unit } of metrics) {
    expect(name).toMatch(/^sluice_[a-z_]+$/)
    // https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
    const seconds = unit === 's' ? '_seconds' : ''
    const total = type === 'counter' ? '_total' : ''
    expect(name).toBe(openTelemetryName.replaceAll('.', '_') + seconds + total)
  }
})

describe.each<readonly [string, readonly Query[]]>([
  ['alerts.yaml', alertQueries],
  ['the panels of grafana.json', panelQueries],
  ['the variables of grafana.json', variableQueries],
])('%s', (_, queries) => {
  test('have queries', () => expect(queries.length).toBeGreaterThan(1))

  test.each(queries)('$where uses metrics and labels that this package exports', (query) => {
    const used = metricsIn(query)
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((name) => !labelsOf.has(name))).toEqual([])
    const known = new Set<string>([
      ...ofPrometheus,
      ...used.flatMap((name) => labelsOf.get(name) ?? []),
    ])
    expect(labelsIn(query).filter((label) => !known.has(label))).toEqual([])
  })
})

test('the package contains both files', () => {
  const { files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(files).toEqual(expect.arrayContaining(['alerts.yaml', 'grafana.json']))
})

test('the dashboard shows every metric', () => {
  const shown = new Set(panelQueries.flatMap(metricsIn))
  const absent = metrics.filter(
    ({ name }) => ![name, `${name}_bucket`].some((one) => shown.has(one)),
  )
  expect(absent).toEqual([])
})

test('a query that uses another name or label is found', () => {
  const wrong: Query = {
    where: '',
    expr: 'sum by (limit) (rate(sluice_denied{polcy="a"}[5m]))',
    shown: ['x'],
  }
  expect([metricsIn(wrong), labelsIn(wrong)]).toEqual([['sluice_denied'], ['polcy', 'limit', 'x']])
})

describe('the page on metrics', () => {
  const page = readFileSync(new URL('../../docs/operate/metrics.md', import.meta.url), 'utf8')

  test('has every metric of the table, with its type and labels', () => {
    const rows = page.matchAll(/^\| `(sluice_\w+)` \| `([\w.]+)` \| (\w+) \| (.*?) \| (.*?) \|$/gm)
    const documented = Array.from(rows, ([, ...cells]) => cells)
    expect(documented).toEqual(
      metrics.map(({ name, openTelemetryName, type, labels, help }) => {
        return [
          name,
          openTelemetryName,
          type,
          labels.map((label) => `\`${label}\``).join(', '),
          help,
        ]
      }),
    )
  })

  test('has every alert', () => {
    const rows = page.matchAll(/^\| `(Sluice\w+)` \|/gm)
    expect(Array.from(rows, ([, name]) => name)).toEqual(alerts.map(({ alert }) => alert))
  })

  test('has the most names of each label', () => {
    const [, text] = /^(?:- )?At most (.*) have series of their own/m.exec(page) ?? []
    const { limiter, policy, store } = mostValues
    expect(text).toBe(
      `${limiter} limiters, ${policy.toLocaleString('en')} policies and ${store} stores`,
    )
  })
})
