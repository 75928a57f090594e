import type { BrowserContextOptions, Locator } from 'playwright-core'
import { openWatchedPage, type WatchedPage } from '@sluice/test-kit/browser'
import type { Playground } from './open-playground.js'

/** A loaded page of the playground. */
export interface Opened extends WatchedPage {
  readonly send: () => Promise<void>
  readonly choose: (name: string) => Promise<void>
}

export async function open(
  { url, browser }: Playground,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const watched = await openWatchedPage(browser, options)
  const { page } = watched
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

  return { ...watched, send, choose }
}

/** The number of dots and of crosses in a chart, without the smaller dots, which mark the start of delayed requests. */
export async function count(picture: Locator): Promise<{ allowed: number; denied: number }> {
  return {
    allowed: await picture.locator('.allowed:not(.start)').count(),
    denied: await picture.locator('.denied').count(),
  }
}
