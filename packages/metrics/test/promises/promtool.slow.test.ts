import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { alerts, alertsPath, panelQueries } from '../queries.js'

// The program of Prometheus itself: PROMTOOL, or the one on the PATH. On Debian it is in the package "prometheus".
const promtool = process.env['PROMTOOL'] ?? 'promtool'

test('promtool accepts alerts.yaml', async () => {
  expect(await run('check', 'rules', alertsPath)).toContain(`${alerts.length} rules found`)
})

test('promtool accepts each query of grafana.json', async () => {
  const rules = panelQueries.map(({ expr }, i) => {
    const filled = expr.replaceAll('$__rate_interval', '5m')
    return { record: `panel:${i}`, expr: filled }
  })
  const file = await written('panels.yaml', { groups: [{ name: 'panels', rules }] })
  expect(await run('check', 'rules', file)).toContain(`${rules.length} rules found`)
})

/** For each alert, numbers of each minute for which it fires at some minute. */
const firing: Readonly<Record<string, { at: string; series: Record<string, string> }>> = {
  SluiceFallback: {
    at: '3m',
    series: { 'sluice_fallback_active{job="shop",limiter="api"}': '0 1x9' },
  },
  SluiceBreakerOpen: {
    at: '3m',
    series: { 'sluice_breaker_open{job="shop",store="redis"}': '0 1x9' },
  },
  SluiceStoreTimeouts: {
    at: '5m',
    series: {
      'sluice_store_errors_total{job="shop",store="redis",code="SLUICE_STORE_TIMEOUT"}': '0+3x9',
    },
  },
  SluiceStoreErrors: {
    at: '9m',
    series: {
      'sluice_store_errors_total{job="shop",store="redis",code="SLUICE_STORE_FAILED"}': '0 1x9',
      'sluice_breaker_open{job="shop",store="redis"}': '0x9',
    },
  },
  SluiceStoreSlow: {
    at: '20m',
    series: {
      'sluice_store_call_duration_seconds_bucket{job="shop",store="redis",le="0.1"}': '0+90x30',
      'sluice_store_call_duration_seconds_bucket{job="shop",store="redis",le="0.25"}': '0+100x30',
      'sluice_store_call_duration_seconds_bucket{job="shop",store="redis",le="+Inf"}': '0+100x30',
    },
  },
  SluiceManyDenials: {
    at: '30m',
    series: {
      'sluice_decisions_total{job="shop",limiter="api",outcome="allowed",source="store"}':
        '0+40x40',
      'sluice_decisions_total{job="shop",limiter="api",outcome="denied",source="store"}': '0+60x40',
      'sluice_decisions_total{job="shop",limiter="api",outcome="would_allow",source="store"}':
        '0+100x40',
    },
  },
  SluiceNoDecisions: {
    at: '24h45m',
    series: {
      'sluice_decisions_total{job="shop",limiter="api",outcome="allowed",source="store"}':
        '0+60x120 stale',
    },
  },
  SluiceRulesRejected: {
    at: '3m',
    series: { 'sluice_rules_rejected{job="shop",limiter="api"}': '0 1x9' },
  },
  SluiceRulesSourceFailed: {
    at: '5m',
    series: {
      'sluice_rules_loads_total{job="shop",limiter="api",outcome="source-failed"}': '0 1x9',
    },
  },
}

test('there are numbers for which each alert fires', () => {
  expect(Object.keys(firing)).toEqual(alerts.map(({ alert }) => alert))
})

test.each(Object.keys(firing))(
  'in promtool, %s fires for its numbers, and no other alert does',
  async (name) => {
    const { at, series } = firing[name]
    const seen = await firingAt(series, at)
    expect(seen).toEqual([name])
  },
)

test('in promtool, no alert fires for usual numbers', async () => {
  const usual = {
    'sluice_fallback_active{job="shop",limiter="api"}': '0x2000',
    'sluice_breaker_open{job="shop",store="redis"}': '0x2000',
    'sluice_store_errors_total{job="shop",store="redis",code="SLUICE_STORE_TIMEOUT"}': '2x2000',
    'sluice_store_errors_total{job="shop",store="redis",code="SLUICE_STORE_FAILED"}': '1x2000',
    'sluice_store_call_duration_seconds_bucket{job="shop",store="redis",le="0.005"}': '0+100x2000',
    'sluice_store_call_duration_seconds_bucket{job="shop",store="redis",le="+Inf"}': '0+100x2000',
    'sluice_decisions_total{job="shop",limiter="api",outcome="allowed",source="store"}':
      '0+900x2000',
    'sluice_decisions_total{job="shop",limiter="api",outcome="denied",source="store"}':
      '0+100x2000',
    'sluice_rules_rejected{job="shop",limiter="api"}': '0x2000',
    'sluice_rules_loads_total{job="shop",limiter="api",outcome="source-failed"}': '1x2000',
  }
  expect(await firingAt(usual, '26h')).toEqual([])
})

/** The names of the alerts that fire at a time for these numbers of each minute: those that differ from no alert. */
async function firingAt(series: Record<string, string>, at: string): Promise<readonly string[]> {
  const file = await written('test.yaml', {
    rule_files: [alertsPath],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([key, values]) => ({ series: key, values })),
        alert_rule_test: alerts.map(({ alert }) => {
          return { eval_time: at, alertname: alert, exp_alerts: [] }
        }),
      },
    ],
  })
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], {
    encoding: 'utf8',
  })
  const names = Array.from(stderr.matchAll(/^ *alertname: (\w+), time:/gm), ([, name]) => name)
  expect([status, stdout.includes('SUCCESS')]).toEqual(names.length > 0 ? [1, false] : [0, true])
  return names
}

async function run(...args: string[]): Promise<string> {
  return (await promisify(execFile)(promtool, args)).stdout
}

async function written(name: string, content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-metrics-'))
  onTestFinished(async () => rm(folder, { recursive: true }))
  const file = join(folder, name)
  await writeFile(file, stringify(content))
  return file
}
