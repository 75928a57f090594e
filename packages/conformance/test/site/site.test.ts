import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium, openWatchedPage } from '@sluice/test-kit/browser'
import { cutTables, groundOf, pathsOf } from './in-page.js'
import { pagesOf, serveSite, type SiteServer } from './server.js'

let site: SiteServer
let browser: Browser
beforeAll(async () => {
  site = await serveSite()
  browser = await chromium.launch({ executablePath: findChromium() })
})
afterAll(async () => {
  await browser.close()
  site.stop()
})

async function open(path: string, options: BrowserContextOptions = {}) {
  const watched = await openWatchedPage(browser, options)
  await watched.page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' })
  return watched
}

test.each([
  '/',
  '/learn/getting-started.html',
  '/reference/options.html',
  '/learn/playground.html',
])('%s loads without a console message, and loads nothing from another host', async (path) => {
  const { page, problems, hosts } = await open(path)
  expect(problems).toEqual([])
  expect([...hosts]).toEqual([new URL(site.url).host])
  await page.close()
})

test('no page and no table of texts is wider than a phone', { timeout: 120_000 }, async () => {
  const { page } = await open('/', { viewport: { width: 390, height: 844 } })
  const pages = await pagesOf(site)
  expect(pages).toContain(`${site.url}/learn/getting-started.html`)
  const wide: string[] = []
  for (const url of pages) {
    await page.goto(url, { waitUntil: 'domcontentloaded' })
    if ((await widthOf(page)) !== 390) wide.push(url)
    const tables = await page.locator('.vp-doc table').evaluateAll(cutTables)
    wide.push(...tables.map((columns) => `${url}: ${columns}`))
  }
  expect(wide).toEqual([])
  await page.close()
})

test('the navigation lists the pages in the order of the index', async () => {
  const { page } = await open('/')
  const linked = await page.locator('.vp-doc :is(li, p) a:not([target])').evaluateAll(pathsOf)
  await page.goto(`${site.url}/learn/getting-started.html`)
  expect(await page.locator('.VPSidebar a').evaluateAll(pathsOf)).toEqual(linked)
  expect(linked).toContain('/learn/getting-started.html')
  await page.close()
})

test('the search finds an option by its name', async () => {
  const { page } = await open('/learn/getting-started.html')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByPlaceholder('Search').fill('onStoreError')
  await page.locator('.VPLocalSearchBox .result').first().click()
  await page.waitForURL(/\.html#/)
  await page.close()
})

test('the playground draws the decisions of the core, light or dark as the site is', async () => {
  const { page } = await open('/learn/playground.html', { colorScheme: 'light' })
  const frame = page.frameLocator('iframe')
  await frame.locator('label', { hasText: /^Sliding log$/ }).click()
  await frame.locator('#found', { hasText: 'Sliding log: up to 5 within 4 s.' }).waitFor()
  expect(await frame.locator('#live').count()).toBe(0)
  const ground = () => frame.locator('body').evaluate(groundOf)
  expect(await ground()).toBe('rgb(251, 250, 248)')
  await page.locator('.VPSwitchAppearance').first().click()
  expect(await ground()).toBe('rgb(17, 21, 24)')
  await frame.locator('#choosing').click()
  await page.waitForURL('**/learn/choosing-an-algorithm.html')
  await page.close()
})

async function widthOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth')
}
