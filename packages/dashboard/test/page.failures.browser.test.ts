import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { drawn, nextPoll, serve, type Served } from './open-dashboard.js'

let served: Served
beforeAll(async () => {
  served = await serve()
  return served.stop
})

const notice = (page: Page) => page.locator('.notices .notice')
const polls = () =>
  served.server.requests.filter((request) => request.startsWith('GET api/view')).length

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))`)
}

test('if the server fails, the page says so, keeps the last figures without color, and recovers', async () => {
  const { page } = await served.open('busy')
  const figures = await page.locator('.tile-value').allTextContents()
  served.server.answer.status = 502
  await nextPoll(page)
  expect(await notice(page).innerText()).toMatch(
    /^The server answered with status 502\. Since [\d:]+\. The figures are those of [\d:]+\. The page asks again every 2 seconds\.$/,
  )
  expect(await page.locator('.tile-value').allTextContents()).toEqual(figures)
  expect(await page.evaluate(`getComputedStyle(document.querySelector('.tiles')).filter`)).toBe(
    'grayscale(1)',
  )
  delete served.server.answer.status
  await nextPoll(page)
  expect(await notice(page).count()).toBe(0)
  expect(await page.getByRole('status').first().textContent()).toBe('The server answers again.')
  await page.context().close()
})

test('if the server is gone, the page says so', async () => {
  const { page } = await served.open('busy')
  await page.route('**/api/view?*', (route) => route.abort())
  await notice(page).waitFor()
  expect(await notice(page).innerText()).toMatch(/^The server does not answer\. Since /)
  await page.context().close()
})

test.each([401, 403])(
  'after the status %s, the page stops and offers to reload',
  async (status) => {
    const { page } = await served.open('busy', { clock: true })
    served.server.answer.status = status
    await page.clock.runFor(2000)
    await page.getByRole('button', { name: 'Reload the page' }).waitFor()
    const before = polls()
    await page.clock.runFor(10_000)
    expect(polls()).toBe(before)
    delete served.server.answer.status
    await page.context().close()
  },
)

test('if a page for signing in is the answer, the page says so', async () => {
  const { page } = await served.open('busy')
  await page.route('**/api/view?*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' }),
  )
  await notice(page).waitFor()
  expect(await notice(page).innerText()).toMatch(
    /^The server sent a page instead of data\. Reload to sign in again\./,
  )
  await page.context().close()
})

test('if Redis does not answer, the page says so and shows its own process', async () => {
  const { page } = await served.open('failed')
  const [share, store] = await notice(page).allInnerTexts()
  expect(share).toMatch(/^Redis does not answer, so only this process is shown\. .*ECONNREFUSED/s)
  expect(store).toMatch(
    /^The store “redis” has been unavailable for 1 min 3\d s\. The fallback decides/,
  )
  expect(await page.locator('.tile-value').allTextContents()).toEqual([
    expect.any(String),
    expect.any(String),
    'Fallback',
    '1',
  ])
  expect(new Set(await page.locator('.keys .badge').allTextContents())).toEqual(
    new Set(['blocked', 'fallback']),
  )
  await page.context().close()
})

test('processes of another version are counted, and their figures are said to be missing', async () => {
  const { page } = await served.open('refused')
  expect(await notice(page).first().innerText()).toBe(
    '1 of 4 processes runs another version of the dashboard. Its figures are not included.',
  )
  await page.context().close()
})

test('a prefix that is not that of the store is said, because the search would find no key', async () => {
  const { page } = await served.open('prefix')
  expect(await notice(page).first().innerText()).toBe(
    'Redis has no key of these limiters under the prefix “sluice”, so the search finds none. Pass redisView the prefix of redisStore, and the Redis of the store.',
  )
  await page.context().close()
})

test('the page asks every 2 seconds while it is visible and not paused', async () => {
  const { page } = await served.open('busy', { clock: true })
  await nextPoll(page)
  const start = polls()
  await page.clock.runFor(1999)
  expect(polls() - start).toBe(0)
  await answered(page, async () => page.clock.runFor(1))
  expect(polls() - start).toBe(1)
  await nextPoll(page)
  expect(polls() - start).toBe(2)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.clock.runFor(20_000)
  expect(polls() - start).toBe(2)
  expect(await page.locator('.pulse').innerText()).toBe('Updated 20 s ago')
  await answered(page, async () => page.getByRole('button', { name: 'Continue' }).click())
  expect(polls() - start).toBe(3)

  await setHidden(page, true)
  await page.clock.runFor(20_000)
  expect(polls() - start).toBe(3)
  await answered(page, async () => setHidden(page, false))
  expect(polls() - start).toBe(4)
  await page.context().close()
})

/** Acts, and waits until the answer to a poll is drawn. */
async function answered(page: Page, act: () => Promise<unknown>): Promise<void> {
  const answer = page.waitForResponse('**/api/view?*')
  await act()
  await (await answer).finished()
  await drawn(page)
}
