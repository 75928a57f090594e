import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { slidingWindow } from '@sluice/core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '@sluice/test-kit/browser'
import type { Report } from '../../../src/simulate/index.js'
import { reportAsHtml } from '../../../src/simulate/report/html.js'
import { combinedLine, simulated, start } from '../logs.js'

const hostile =
  '</script><script>window.attacked = 1</script><img src=x onerror="window.attacked = 2"><!--'

let browser: Browser
let page: Page
let folder: string
const problems: string[] = []
const requests: string[] = []

beforeAll(async () => {
  const lines = Array.from({ length: 2000 }, (_, i) => {
    const line = {
      at: start + i * 1000,
      ip: `192.0.2.${i % 7}`,
      url: `/${hostile.replaceAll(' ', '').replaceAll('"', '')}`,
    }
    return combinedLine(line, hostile.replaceAll('"', String.raw`\"`))
  })
  const simulatedReport = await simulated(lines.join('\n'), {
    variants: {
      strict: { policies: slidingWindow({ limit: 5, window: '1m' }) },
      '<b>loose</b>': { policies: slidingWindow({ limit: 8, window: '1m' }) },
    },
  })
  const [strict, loose] = simulatedReport.variants
  const report: Report = {
    ...simulatedReport,
    variants: [strict, { ...loose, suggested: true }],
  }
  folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  const file = join(folder, 'report.html')
  await writeFile(file, await reportAsHtml(report))
  browser = await chromium.launch({ executablePath: findChromium() })
  page = await browser.newPage()
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
})

afterAll(async () => {
  await browser.close()
  await rm(folder, { recursive: true })
})

test('the page opens from the disk without an error and without further requests', () => {
  expect(problems).toEqual([])
  expect(requests).toHaveLength(1)
})

test('the chart has a line for the requests and one for each variant', async () => {
  const chart = await page.evaluate(
    '({ labels: chart.series.map(({ label }) => label), points: chart.data.map(({ length }) => length) })',
  )
  expect(chart).toEqual({
    labels: ['time (UTC)', 'requests', 'strict', '<b>loose</b>'],
    points: [500, 500, 500, 500],
  })
  expect(await page.locator('#chart canvas').count()).toBe(1)
})

test('the chart writes times as ISO 8601 does', async () => {
  const [legend, ticks] = await page.evaluate<readonly [string, readonly string[]]>(`
    (chart.setCursor({ left: chart.valToPos(${(start + 900_000) / 1000}, 'x'), top: 10 }),
    [document.querySelector('.u-legend .u-value').textContent, chart.axes[0]._values])`)
  expect(legend).toBe('2026-11-20 00:15:00')
  expect(ticks[0]).toBe('00:00\n2026-11-20')
  for (const tick of ticks.slice(1)) expect(tick).toMatch(/^00:[0-3][05]$/)
})

test('the denials of a key are drawn over the time of the log', async () => {
  const bars = page.locator('svg.spark').first().locator('rect')
  expect(await bars.count()).toBe(34)
  expect(await bars.first().getAttribute('x')).toBe('0')
  expect(await bars.last().getAttribute('width')).toBe('2')
})

test('the limits are one list in the summary, and one in the settings', async () => {
  const names = page.locator('table').first().locator('tbody td:first-child')
  expect(await names.allTextContents()).toEqual(['strict', '<b>loose</b> (suggested)'])
  expect(await page.locator('h2', { hasText: /settings/i }).count()).toBe(1)
  const settings = JSON.parse(await page.locator('pre').innerText())
  expect(settings).toEqual([
    { name: 'strict', key: 'ip', policies: slidingWindow({ limit: 5, window: '1m' }) },
    { name: '<b>loose</b>', key: 'ip', policies: slidingWindow({ limit: 8, window: '1m' }) },
  ])
})

test('a click on a name hides its line', async () => {
  await page.locator('.u-legend .u-series', { hasText: 'strict' }).locator('th').click()
  expect(await page.evaluate('chart.series[2].show')).toBe(false)
})

test('the numbers of the report are in the summary', async () => {
  const row = await page
    .locator('table')
    .first()
    .locator('tbody tr')
    .first()
    .locator('td')
    .allTextContents()
  expect(row[0]).toBe('strict')
  expect(row[1].replaceAll(/\D/g, '')).toBe('2000')
})

test('a hostile user agent, path and name are text', async () => {
  expect(await page.evaluate('window.attacked')).toBe(undefined)
  expect(await page.locator('main img, main script, main b').count()).toBe(0)
  expect(await page.locator('td.agent').first().textContent()).toBe(hostile)
})

test('the policy of the page refuses other scripts', async () => {
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.injected = 1' }))`,
  )
  expect(await page.evaluate('window.injected')).toBe(undefined)
})
