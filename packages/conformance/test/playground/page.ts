import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Playground } from './browser.js'

/** A loaded page, with its console messages and its network requests. */
export interface Opened {
  readonly page: Page
  readonly problems: readonly string[]
  readonly hosts: ReadonlySet<string>
  readonly send: () => Promise<void>
  readonly choose: (name: string) => Promise<void>
}

export async function open(
  { url, browser }: Playground,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  await page.goto(url)
  await page.locator('#curl', { hasText: 'curl' }).waitFor()

  async function choose(name: string): Promise<void> {
    await page.locator('label', { hasText: new RegExp(`^${name}$`) }).click()
  }

  /** Sends one request, and waits until it is drawn. */
  async function send(): Promise<void> {
    const before = await count(page.locator('#live'))
    await page.getByRole('button', { name: 'Send a request' }).click()
    const dots = page.locator('#live .allowed:not(.start), #live .denied')
    await dots.nth(before.allowed + before.denied).waitFor({ state: 'attached' })
  }

  return { page, problems, hosts, send, choose }
}

/** The number of dots and of crosses in a chart, without the smaller dots, which mark the start of delayed requests. */
export async function count(picture: Locator): Promise<{ allowed: number; denied: number }> {
  return {
    allowed: await picture.locator('.allowed:not(.start)').count(),
    denied: await picture.locator('.denied').count(),
  }
}
