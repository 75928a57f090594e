import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { findChromium, openWatchedPage, type WatchedPage } from '@sluice/test-kit/browser'
import { startPageServer, type PageServer } from './page-server.js'
import type { ScenarioName } from './scenarios.js'

/** A real browser, and the server of the page. */
export interface Served {
  readonly browser: Browser
  readonly server: PageServer
  /** Opens the page with the views of a scenario. With `clock`, its timers run only by `runFor`. */
  open(
    scenario: ScenarioName,
    options?: BrowserContextOptions & { clock?: boolean },
  ): Promise<WatchedPage>
  stop(): Promise<void>
}

export async function serve(folder?: string): Promise<Served> {
  const server = await startPageServer(folder)
  const browser = await chromium.launch({ executablePath: findChromium() })
  return {
    browser,
    server,
    async open(scenario, { clock = false, ...options } = {}) {
      const opened = await openWatchedPage(browser, options)
      await opened.page.clock.install()
      await opened.page.goto(`${server.url}${scenario}/`)
      await opened.page.locator('.pulse[data-state=live]').waitFor()
      if (clock) await opened.page.clock.pauseAt(Date.now() + 1000)
      return opened
    },
    async stop() {
      await browser.close()
      await server.close()
    },
  }
}

/** Lets two seconds pass, and waits until the answer to the poll is drawn. */
export async function nextPoll(page: Page): Promise<void> {
  const answer = page.waitForResponse('**/api/view?*')
  await page.clock.runFor(2000)
  await (await answer).finished()
  await drawn(page)
}

/** Waits until the page has handled what it received. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction('true')
  await page.evaluate(
    'new Promise((done) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(0) })',
  )
}
