import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { nextPoll, serve, type Served } from './open-dashboard.js'
import { hostileKeys, scenarios, type ScenarioName } from './scenarios.js'

const names = Object.keys(scenarios) as ScenarioName[]

let served: Served
beforeAll(async () => {
  served = await serve()
  return served.stop
})

const texts = async (page: Page, selector: string) => page.locator(selector).allTextContents()
const trimmed = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** The package contains the first. The second is their source, which a browser can load as it is. */
describe.each([
  { folder: 'bundle/page', states: names },
  { folder: 'page', states: ['busy'] as const },
])('the files of $folder', ({ folder, states }) => {
  let files: Served
  beforeAll(async () => {
    files = await serve(folder)
    return files.stop
  })

  test.each(states)(
    '%s: no error on the console, no failed request, no other host',
    async (name) => {
      const { page, problems, hosts } = await files.open(name)
      await nextPoll(page)
      expect(problems).toEqual([])
      expect([...hosts]).toEqual([new URL(files.server.url).host])
      await page.context().close()
    },
  )
})

test('the page works below any path', async () => {
  const { page, problems } = await served.open('busy')
  await page.goto(`${served.server.url}internal/tools/limits/busy/`)
  await page.locator('.keys tbody tr').first().waitFor()
  expect(problems).toEqual([])
  await page.context().close()
})

test('the content security policy of the page refuses other scripts and styles', async () => {
  const { page, problems } = await served.open('busy')
  await page.evaluate(`
    document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.attacked = 3' }))
    document.body.setAttribute('style', 'display: none')`)
  expect(await page.evaluate('window.attacked')).toBe(undefined)
  expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('block')
  expect(problems).toHaveLength(2)
  await page.context().close()
})

test('the figures of the view are those of the page', async () => {
  const { server } = served
  server.answer.view = (view) => {
    const zeros = Array.from({ length: 360 }, () => 0)
    const at = Math.ceil(view.at / 10_000) * 10_000 + 5000
    const startsAt = at - 5000 - 3_590_000
    const allowed = zeros.with(100, 5000).with(358, 900).with(359, 450)
    const denied = zeros.with(358, 100).with(359, 50)
    const [api] = view.limiters
    return {
      ...view,
      at,
      limiters: [
        {
          ...api,
          series: { ...api.series, startsAt, allowed, denied, exempt: zeros, wouldDeny: zeros },
          policies: [{ name: 'minute', denied }],
          denied: [{ ...api.denied[0], denials: 150, untilAt: at + 92_000 }],
          top: {
            ...api.top,
            denials: {
              keys: [{ key: 'k', count: 150, error: 12 }],
              total: 1,
              unlisted: 7,
              sinceAt: at,
            },
          },
        },
      ],
    }
  }
  const { page } = await served.open('busy', { clock: true })
  expect(await texts(page, '.tile-value')).toEqual(['100', '10 %', 'OK', '4'])
  expect((await texts(page, '.tile-about')).slice(0, 2)).toEqual([
    '6,500 in the last hour',
    '10 a second, 150 in the hour',
  ])
  expect((await texts(page, '.legend b')).map(trimmed)).toEqual(['90', '10'])
  expect((await texts(page, '.keys td.number')).map(trimmed)[0]).toMatch(/^150since /)
  expect(trimmed((await texts(page, '.keys [data-label="Allowed again"]'))[0])).toMatch(
    /^in 1 min 3[12] s/,
  )
  const [, topDenials] = await page.locator('.pair > section').all()
  expect(trimmed((await topDenials.textContent()) ?? '')).toContain('150 ±12')
  expect(trimmed((await topDenials.textContent()) ?? '')).toContain('other keys: at most 7 each')
  delete server.answer.view
  await page.context().close()
})

test('the time until a key is allowed counts down by the clock of the server', async () => {
  const { page } = await served.open('busy', { clock: true })
  const until = page.locator('.keys [data-label="Allowed again"]').nth(1)
  const before = await until.textContent()
  const [, minutes] = /in 1 h (\d+) min/.exec(before ?? '') ?? []
  await page.locator('#pause').click()
  await page.clock.runFor(60_000)
  expect(await until.textContent()).toContain(`in 1 h ${Number(minutes) - 1} min`)
  await page.context().close()
})

test('the chart shows denials by limiter, and by policy or rule', async () => {
  const { page } = await served.open('busy')
  await page.getByText('By limiter').click()
  expect(await texts(page, '.legend-name')).toEqual(['api, would deny', 'api', 'login', 'webhooks'])
  await page.getByText('By policy or rule').click()
  expect(await texts(page, '.legend-name')).toEqual([
    'api · minute',
    'api · day',
    'login · per-account',
    'login · per-address',
    'webhooks · burst',
  ])
  expect(await page.locator('.plot .curve').count()).toBe(5)
  await page.context().close()
})

test('the table of the last hour has a row for each five minutes', async () => {
  const { page } = await served.open('busy')
  await page.getByText('Show as a table').click()
  expect(await page.locator('.figures tbody tr').count()).toBe(12)
  expect(await texts(page, '.figures thead th')).toEqual([
    'From',
    'allowed',
    'denied',
    'would deny',
  ])
  await page.context().close()
})

test('the pointer shows the figures of a moment', async () => {
  const { page } = await served.open('attack')
  const values = async () =>
    (await texts(page, '.legend b')).map((text) => Number(text.replace(',', '')))
  const [, now] = await values()
  await page.locator('.plot').hover({ position: { x: 300, y: 100 } })
  const [, then] = await values()
  expect(now).toBeGreaterThan(500)
  expect(then).toBeLessThan(50)
  expect(trimmed(await page.locator('.legend-time').innerText())).toMatch(
    /^requests a second, at \d\d:\d\d$/,
  )
  await page.context().close()
})

test('one limiter can be shown alone', async () => {
  const { page } = await served.open('busy')
  await page.locator('#scope').selectOption('login')
  expect(await texts(page, '.keys .limiter')).toEqual(['login', 'login'])
  expect(await page.locator('.total').textContent()).toBe('2')
  await nextPoll(page)
  expect(await texts(page, '.keys .limiter')).toEqual(['login', 'login'])
  await page.context().close()
})

test('hostile keys are text', async () => {
  const { page, problems } = await served.open('hostile')
  expect(await page.evaluate('window.attacked')).toBe(undefined)
  expect(await page.locator('img, script:not([src]), .policies b').count()).toBe(0)
  expect(await texts(page, '.keys .key bdi')).toEqual(hostileKeys.map((key) => key || '(empty)'))
  expect(await texts(page, '.keys .policies bdi')).toEqual(hostileKeys.map(() => '<b>minute</b>'))
  expect(problems).toEqual([])
  await page.context().close()
})

test('a long key has one line in the list, and the dialog shows all of it', async () => {
  const { page } = await served.open('hostile')
  const key = page.locator('.keys .key').nth(3)
  const heights = await page
    .locator('.keys .key')
    .evaluateAll((keys) => keys.map((one) => one.clientHeight))
  expect(new Set(heights).size).toBe(1)
  await key.click()
  expect(await page.locator('#key-title bdi').textContent()).toBe('x'.repeat(300))
  await page.context().close()
})

test('a key from right to left does not change the order of the columns', async () => {
  const { page } = await served.open('hostile')
  const lefts = await page
    .locator('.keys tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)),
      ),
    )
  expect(new Set(lefts.map(String)).size).toBe(1)
  await page.context().close()
})

test('before the first request, the page says what it will show', async () => {
  const { page } = await served.open('empty')
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Requests a second',
    'Denied',
    'Store',
    'Processes',
    'Waiting for the first request',
  ])
  expect(trimmed(await page.locator('.welcome p').first().innerText())).toMatch(
    /^The page watches api and login\./,
  )
  await page.context().close()
})

test('rules: counters, denials in shadow, the version in use and the refused one', async () => {
  const { page } = await served.open('refused')
  const rules = page.locator('section', { has: page.getByRole('heading', { name: 'Rules' }) })
  expect(
    (await rules.locator('tbody tr').nth(2).locator('th, td').allTextContents()).map(trimmed),
  ).toEqual([
    'search-cost shadow A search costs 5 units',
    '41,090',
    '41,090',
    '0',
    '3,872',
    '901',
    '0',
  ])
  const text = trimmed(await rules.innerText())
  expect(text).toMatch(
    /public-api, version 2026-11-18\.3, in use since .* from redis: limits\/public-api/,
  )
  expect(text).toMatch(/refused since .*“1 month” is not a duration\. SLUICE_RULES_INVALID/)
  await page.context().close()
})

test('the search lists the blocked keys of Redis', async () => {
  const { page, problems } = await served.open('busy')
  await page.locator('#scope').selectOption('api')
  await page.getByRole('button', { name: 'Search Redis for blocked keys' }).click()
  await page.getByText('Searched: 8,000 keys read, 4 blocked.').waitFor()
  expect(await texts(page, '.found .key bdi')).toEqual([
    '10.0.0.0',
    '10.0.0.1',
    '10.0.0.2',
    '10.0.0.3',
  ])
  expect(problems).toEqual([])
  await page.context().close()
})

test('without share there is no search', async () => {
  const { page } = await served.open('single')
  expect(await page.locator('#search').count()).toBe(0)
  expect(await page.getByText('only this process is shown').count()).toBe(1)
  await page.context().close()
})
