import { beforeAll, expect, test } from 'vitest'
import { drawn, serve, type Served } from './open-dashboard.js'

let served: Served
beforeAll(async () => {
  served = await serve()
  return served.stop
})

test('more rows of a list are asked for when the user wants them', async () => {
  const { page } = await served.open('attack', { clock: true })
  const { requests } = served.server
  const rows = async () => page.locator('.keys tbody tr').count()
  const more = page.locator('.list-foot button', { hasText: 'Show 20 more of 55' })
  expect([requests.findLast((one) => one.includes('api/view')), await rows()]).toEqual([
    'GET api/view?rows=20',
    10,
  ])
  const answer = page.waitForResponse('**/api/view?rows=40')
  await more.click()
  await (await answer).finished()
  await drawn(page)
  expect(await rows()).toBe(30)
  await page.locator('#pause').click()
  const paused = page.waitForResponse('**/api/view?rows=60')
  await more.click()
  await (await paused).finished()
  await drawn(page)
  expect(await rows()).toBe(50)
  expect(await page.locator('#limited-title .total').textContent()).toBe('55')
  await page.context().close()
})
