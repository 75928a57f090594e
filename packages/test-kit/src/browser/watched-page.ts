import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A page, with the messages on its console, its errors and failed responses, and the hosts of its requests. */
export interface WatchedPage {
  readonly page: Page
  readonly problems: readonly string[]
  readonly hosts: ReadonlySet<string>
}

/** Opens an empty page and watches it from its first request on. */
export async function openWatchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  return { page, problems, hosts }
}
