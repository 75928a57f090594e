import { createLimiter } from '@sluice/core'
import { findChromium, openWatchedPage } from '@sluice/test-kit/browser'
import { chromium, type Browser } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDashboard } from '../../src/index.js'
import { listen } from '../served.js'

let browser: Browser
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium() })
  return async () => browser.close()
})

test('the page works behind Basic auth, also if its address has the name and the password', async () => {
  const limiter = createLimiter({ name: 'basic', limit: 1, window: '1h' })
  const dashboard = createDashboard({
    limiters: { limiter },
    authorize: ({ headers }) =>
      headers.authorization === `Basic ${btoa('ann:secret')}`
        ? 'write'
        : { challenge: 'Basic realm="limits"' },
  })
  onTestFinished(async () => dashboard.close())
  const url = await listen(dashboard.handler)
  for (let i = 0; i < 2; i++) limiter.consume('eve')
  const { page, problems } = await openWatchedPage(browser)
  await page.goto(url.replace('//', '//ann:secret@'))
  await page.locator('.pulse[data-state=live]').waitFor()
  await page.getByRole('button', { name: 'eve', exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Reset', exact: true }).check({ force: true })
  await dialog.getByLabel('Reason').fill('ticket 4711')
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
  await dialog.locator('.notice[data-tone=good]').waitFor()
  expect(limiter.status('eve').policies['default'].used).toBe(0)
  expect(problems).toEqual([])
  await page.context().close()
})
