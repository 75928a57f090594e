import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { slidingWindow } from '@sluice/core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '../../../conformance/test/browser/find-chromium.js'
import { reportAsHtml } from '../../src/simulate/report/html.js'
import { combinedLine, simulated, start } from './logs.js'

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
  const report = await simulated(lines.join('\n'), {
    variants: {
      strict: { policies: slidingWindow({ limit: 5, window: '1m' }) },
      '<b>loose</b>': { policies: slidingWindow({ limit: 8, window: '1m' }) },
    },
  })
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
