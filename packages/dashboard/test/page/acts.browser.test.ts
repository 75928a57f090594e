import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { nextPoll, serve, type Served } from '../open-dashboard.js'
import { hostileKeys } from '../scenarios.js'

let served: Served
beforeAll(async () => {
  served = await serve()
  return served.stop
})
beforeEach(() => served.server.reset())

const key = '203.0.113.64'
const dialog = (page: Page) => page.getByRole('dialog')

async function openKey(page: Page, act: string, button: string): Promise<void> {
  await page.getByRole('button', { name: key, exact: true }).first().click()
  await dialog(page).getByRole('radio', { name: act, exact: true }).check({ force: true })
  await dialog(page).getByLabel('Reason').fill('  ticket 4711  ')
  if (['Penalize', 'Grant'].includes(act)) await dialog(page).getByLabel('Units').fill('25')
  await dialog(page).getByRole('button', { name: button, exact: true }).click()
}

test.each([
  ['Block', 'Block for 10 min', { act: 'block', length: '10m' }, /^Blocked until \d\d:\d\d\.$/],
  ['Unblock', 'Unblock', { act: 'unblock' }, /^Unblocked\.$/],
  ['Exempt', 'Exempt for 1 h', { act: 'exempt', length: '1h' }, /^Exempt until .*\.$/],
  ['End exemption', 'End exemption', { act: 'unexempt' }, /^Counted and limited again\.$/],
  [
    'Grant',
    'Grant for 24 h',
    { act: 'grant', length: '24h', units: 25 },
    /^Granted 25 units until .*\.$/,
  ],
  ['End grant', 'End grant', { act: 'ungrant' }, /^Without a grant\.$/],
  ['Reset', 'Reset', { act: 'reset' }, /^Reset\.$/],
  ['Penalize', 'Penalize', { act: 'penalize', units: 25 }, /^Penalized by 25 units\.$/],
])('%s sends exactly the body and the headers of the contract', async (act, button, body, done) => {
  const { page, problems } = await served.open('busy')
  await openKey(page, act, button)
  await dialog(page).locator('.notice[data-tone=good]').waitFor()
  expect(await dialog(page).locator('.notice[data-tone=good]').innerText()).toMatch(done)
  expect(served.server.acts).toEqual([
    {
      contentType: 'application/json',
      sluice: '1',
      body: { limiter: 'api', key, ...body, reason: 'ticket 4711' },
    },
  ])
  expect(problems).toEqual([])
  await page.context().close()
})

test('the dialog of a key opens on its title, with no act chosen and no button that takes something', async () => {
  const { page } = await served.open('busy')
  await page.getByRole('button', { name: key, exact: true }).first().click()
  await dialog(page).locator('.quota').first().waitFor()
  expect(await page.evaluate<string>('document.activeElement.textContent.trim()')).toBe(key)
  expect(await dialog(page).locator('input:checked, .severe').count()).toBe(0)
  await page.context().close()
})

test('without a reason, or with spaces as the reason, nothing is sent', async () => {
  const { page } = await served.open('busy')
  await page.getByRole('button', { name: `Block ${key}` }).click()
  const reason = dialog(page).getByLabel('Reason')
  for (const text of ['', '   ']) {
    await reason.fill(text)
    await dialog(page).getByRole('button', { name: 'Block for 10 min' }).click()
    expect(await reason.evaluate((field) => field.matches(':invalid'))).toBe(true)
  }
  expect(served.server.acts).toEqual([])
  await page.context().close()
})

test('on a phone, the result of an act is on the screen', async () => {
  const { page } = await served.open('busy', { viewport: { width: 390, height: 700 } })
  await openKey(page, 'Grant', 'Grant for 24 h')
  const notice = dialog(page).locator('.notice[data-tone=good]')
  await notice.waitFor()
  const { y = 0, height = 0 } = (await notice.boundingBox()) ?? {}
  expect(y + height).toBeLessThanOrEqual(700)
  await page.context().close()
})

test('a reason has 500 characters at most', async () => {
  const { page } = await served.open('busy')
  await page.getByRole('button', { name: `Block ${key}` }).click()
  await dialog(page).getByLabel('Reason').fill('r'.repeat(495))
  await dialog(page).getByLabel('Reason').pressSequentially('r'.repeat(10))
  expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('r'.repeat(500))
  await page.context().close()
})

test('a refused act says why, and keeps what was written', async () => {
  const { page } = await served.open('busy')
  await page.getByRole('button', { name: `Block ${key}` }).click()
  await dialog(page).getByLabel('For how long').fill('soon')
  await dialog(page).getByLabel('Reason').fill('attack')
  await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
  await dialog(page).getByText('“soon” is not a duration.').waitFor()
  expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('attack')
  expect(await dialog(page).getByLabel('For how long').inputValue()).toBe('soon')
  await page.context().close()
})

test('a blocked key is marked in the list, and its row offers to unblock it', async () => {
  const { page } = await served.open('busy')
  await openKey(page, 'Block', 'Block for 10 min')
  await dialog(page).getByText('blocked for 10 min').first().waitFor()
  await nextPoll(page)
  await page.keyboard.press('Escape')
  const row = page.locator('.keys tr', { hasText: key })
  expect(await row.locator('.badge').allTextContents()).toEqual(['blocked'])
  await row.getByRole('button', { name: 'Unblock' }).click()
  expect(await dialog(page).getByRole('radio', { name: 'Unblock' }).isChecked()).toBe(true)
  await dialog(page).getByLabel('Reason').fill('resolved')
  await dialog(page).getByRole('button', { name: 'Unblock', exact: true }).click()
  await dialog(page).getByText('Unblocked.').waitFor()
  expect(await dialog(page).locator('.badge').count()).toBe(0)
  await page.context().close()
})

test.each(hostileKeys.map((text, i) => [i, text]))(
  'an act on hostile key %i reaches exactly that key',
  async (i, text) => {
    const { page } = await served.open('hostile')
    await page
      .locator('.keys tbody tr')
      .nth(i)
      .getByRole('button', { name: /^Exempt/ })
      .click()
    await dialog(page).getByLabel('Reason').fill('r')
    await dialog(page).getByRole('button', { name: 'Exempt for 1 h' }).click()
    await dialog(page).locator('.notice[data-tone=good]').waitFor()
    expect(served.server.acts.map(({ body }) => body.key)).toEqual([text])
    await page.context().close()
  },
)

test('with the role read there are no keys and no acts, and the counts of a key that the reader enters', async () => {
  const { page, problems } = await served.open('read')
  expect(await page.locator('.acts').count()).toBe(0)
  const keys = page.locator(':is(.keys, .top) tbody th')
  expect(new Set(await keys.allInnerTexts())).toEqual(new Set(['(hidden)']))
  expect(await keys.getByRole('button').count()).toBe(0)
  await page.getByPlaceholder('Look a key up').fill(key)
  await page.keyboard.press('Enter')
  await dialog(page).getByText('37 of 100').waitFor()
  expect(await dialog(page).locator('#key-title').innerText()).toBe(key)
  expect(problems).toEqual([])
  expect(await dialog(page).locator('form.act').count()).toBe(0)
  await page.context().close()
})

test('a key of a limiter that cannot be acted upon is shown only', async () => {
  const { page, problems } = await served.open('busy')
  const row = page.locator('.keys tr', { hasText: 'webhooks' })
  expect(await row.locator('.acts button').count()).toBe(0)
  await row.locator('.key').click()
  await dialog(page).getByText('was not passed to createDashboard').waitFor()
  expect(await dialog(page).locator('form.act').count()).toBe(0)
  expect(problems).toEqual([])
  await page.context().close()
})

test('a key is looked up by its text, with what it has used', async () => {
  const { page } = await served.open('busy')
  await page.getByRole('search').getByLabel('Limiter of the key').selectOption('login')
  await page.getByPlaceholder('Look a key up').fill('new@example.com')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('37 of 100').waitFor()
  expect(await dialog(page).locator('#key-title').innerText()).toBe('new@example.com')
  expect(served.server.requests.findLast((request) => request.startsWith('GET api/key'))).toBe(
    'GET api/key?limiter=login&key=new%40example.com',
  )
  const share = await dialog(page).locator('.bar-of .share').first().getAttribute('width')
  expect(share).toBe('37%')
  await page.context().close()
})

test('an act on a key that was looked up names the key of the answer', async () => {
  const { page } = await served.open('busy')
  await page.getByPlaceholder('Look a key up').fill('192.0.2.200')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('37 of 100').waitFor()
  await dialog(page).getByRole('radio', { name: 'Block', exact: true }).check({ force: true })
  await dialog(page).getByLabel('Reason').fill('scans')
  await page.keyboard.press('Enter')
  await dialog(page)
    .getByText(/^Blocked until/)
    .waitFor()
  expect(served.server.acts.map(({ body }) => body)).toEqual([
    { limiter: 'api', key: '192.0.2.200', act: 'block', length: '10m', reason: 'scans' },
  ])
  await page.context().close()
})

test('a key that cannot be read says why, and offers no act', async () => {
  const { page } = await served.open('busy')
  await page.route('**/api/key?*', (route) =>
    route.fulfill({
      status: 503,
      json: { error: { code: 'SLUICE_STORE_UNAVAILABLE', message: 'The store is unavailable.' } },
    }),
  )
  await page.getByPlaceholder('Look a key up').fill('k')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('The store is unavailable.').waitFor()
  expect(await dialog(page).locator('form.act').count()).toBe(0)
  await page.context().close()
})
