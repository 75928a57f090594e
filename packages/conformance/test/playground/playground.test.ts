import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '@sluice/test-kit/browser'
import { openPlayground, type Playground } from './open-playground.js'
import { count, open, type Opened } from './page.js'

let playground: Playground
beforeAll(async () => {
  playground = await openPlayground()
  return playground.stop
})

test('without a Chromium the error names the package to install', () => {
  expect(() => findChromium({ PATH: '/nowhere' })).toThrow('apt-get install')
  expect(findChromium({ CHROMIUM: '/mine', PATH: '/nowhere' })).toBe('/mine')
})

test('the page loads without a console message, and loads nothing from another host', async () => {
  const { page, problems, hosts } = await open(playground)
  expect(problems).toEqual([])
  expect([...hosts]).toEqual([new URL(playground.url).host])
  await page.close()
})

// With the usual numbers: a limit of 5 in 4 seconds, a burst of 3, at most 3 waiting requests, 3 requests at the same time that take 2 seconds.
const behaviour = [
  { name: 'Fixed window', border: [13, 0], overload: [15, 30] },
  { name: 'Sliding window', border: [9, 4], overload: [15, 30] },
  { name: 'Sliding log', border: [9, 4], overload: [15, 30] },
  { name: 'GCRA', border: [7, 6], overload: [17, 28] },
  { name: 'Token bucket', border: [7, 6], overload: [17, 28] },
  { name: 'Leaky bucket', border: [7, 6], overload: [17, 28] },
  { name: 'Leaky queue', border: [8, 5], overload: [18, 27] },
  { name: 'Concurrency', border: [7, 6], overload: [18, 27] },
]

describe('charts of the core', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(playground)
  })
  afterAll(async () => opened.page.close())

  test.each(behaviour)(
    '$name: the chart shows the allowed and the denied requests of each pattern',
    async (algorithm) => {
      const { page, problems, choose } = opened
      await choose(algorithm.name)
      expect(await page.locator('#chosen-name').textContent()).toBe(algorithm.name)
      for (const [pattern, [allowed, denied]] of [
        ['Burst at the boundary', algorithm.border],
        ['Overload', algorithm.overload],
      ] as const) {
        await choose(pattern)
        expect(await count(page.locator('#chosen'))).toEqual({ allowed, denied })
        expect(await page.locator('#chosen .level').count()).toBe(1)
      }
      expect(problems).toEqual([])
    },
  )
})

test('a click sends a request, and the page shows the headers of the response', async () => {
  const { page, send } = await open(playground)
  const answered = page.waitForResponse(/\/ask\?/)
  await send()
  const response = await answered
  const headers = response.headers()
  expect(headers['ratelimit-policy']).toBe('"default";q=5;w=4')
  expect(await page.locator('#headers').textContent()).toBe(
    `HTTP/1.1 200 OK
RateLimit-Policy: ${headers['ratelimit-policy']}
RateLimit: ${headers['ratelimit']}
Content-Type: ${headers['content-type']}

Hello. You have 4 of 5 left.`,
  )
  expect(await page.getByRole('status').textContent()).toBe('Request 1: allowed.')
  await page.close()
})

test('the limit denies the request that would exceed it, on the server and in the chart', async () => {
  const { page, send, choose } = await open(playground)
  await choose('Sliding log')
  await page.getByRole('slider', { name: 'Limit' }).fill('3')
  await page.getByRole('slider', { name: 'Window' }).fill('10')
  for (let i = 0; i < 3; i++) await send()
  expect(await count(page.locator('#live'))).toEqual({ allowed: 3, denied: 0 })
  const answered = page.waitForResponse(/\/ask\?/)
  await send()
  expect((await answered).status()).toBe(429)
  expect(await count(page.locator('#live'))).toEqual({ allowed: 3, denied: 1 })
  await page.getByText(/^Request 4: denied with 429\. Try again in \d+ seconds\.$/).waitFor()
  expect(await page.locator('#agreement').textContent()).toBe(
    'Decisions by the server: 4. The same core in your browser agrees with all of them.',
  )
  await page.close()
})

test('a grant is taken when the limit would deny, on the server and in the chart', async () => {
  const { page, send, choose } = await open(playground)
  await choose('Sliding log')
  await page.getByRole('slider', { name: 'Limit' }).fill('1')
  await page.getByRole('slider', { name: 'Window' }).fill('10')
  await page.getByRole('button', { name: 'Grant 5 more' }).click()
  await page.getByText('Granted 5 more for a minute.').waitFor()
  for (let i = 0; i < 3; i++) await send()
  expect(await page.locator('#headers').textContent()).toContain('0 of 1 left, and 3 granted.')
  expect(await count(page.locator('#live'))).toEqual({ allowed: 3, denied: 0 })
  expect(await page.locator('#live .granted').count()).toBe(2)
  await page.getByText('agrees with all of them.').waitFor()
  await page.close()
})

test('a grant that is chosen as a number changes the charts and the code', async () => {
  const { page, choose } = await open(playground)
  await choose('Overload')
  await page.getByRole('slider', { name: 'Granted' }).fill('4')
  expect(await count(page.locator('#chosen'))).toEqual({ allowed: 19, denied: 26 })
  expect(await page.locator('#chosen .granted').count()).toBe(4)
  expect(await page.locator('#code').textContent()).toContain(
    `await limit.limiter.grant('203.0.113.9', 4, { for: '1m' })`,
  )
  await choose('Concurrency')
  expect(await page.getByRole('button', { name: 'Grant 5 more' }).isVisible()).toBe(false)
  expect(await page.locator('#chosen .granted').count()).toBe(0)
  await page.close()
})

test('before the first request, the chart of the server shows the limit of the chosen policy', async () => {
  const { page, choose } = await open(playground)
  expect(await page.locator('#live .name').textContent()).toBe('limit 5')
  await choose('Leaky queue')
  expect(await page.locator('#live .name').textContent()).toBe('waiting 3')
  await choose('Concurrency')
  expect(await page.locator('#live .name').textContent()).toBe('limit 3')
  await choose('Fixed window')
  expect(await page.getByRole('slider', { name: 'Limit' }).inputValue()).toBe('5')
  await page.close()
})

test('another algorithm starts over, without a status, count or response of the one before', async () => {
  const { page, send, choose } = await open(playground)
  await send()
  await choose('GCRA')
  await page.getByText('No request sent yet.').waitFor()
  expect(await page.locator('#headers').textContent()).toContain('Send a request to see it.')
  expect(await page.locator('#headers').getAttribute('data-status')).toBe(null)
  expect(await page.locator('#agreement').textContent()).toContain('Each dot is an HTTP request')
  expect(await count(page.locator('#live'))).toEqual({ allowed: 0, denied: 0 })
  await page.close()
})

test('on a phone, the sliders stay visible beside the charts that they change', async () => {
  const { page } = await open(playground, { viewport: { width: 390, height: 844 } })
  await page.locator('#other').scrollIntoViewIfNeeded()
  const picture = await page.locator('#other').boundingBox()
  const sliders = await page.locator('#numbers').boundingBox()
  expect(sliders?.y).toBeGreaterThanOrEqual(0)
  expect((sliders?.y ?? 0) + (sliders?.height ?? 0)).toBeLessThan(picture?.y ?? 0)
  expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThanOrEqual(844)
  await page.close()
})

test('a request from a terminal appears in the chart', async () => {
  const { page, send } = await open(playground)
  await send()
  const url = /'(.*)'/.exec((await page.locator('#curl').textContent()) ?? '')?.[1] ?? ''
  expect((await fetch(url)).status).toBe(200)
  await page.getByText('Decisions by the server: 2.').waitFor()
  await page.close()
})

// Concurrent, because each of these tests mostly waits.
test.concurrent.each(behaviour)(
  '$name: after a replay, server and browser agree on every request',
  async ({ name, border: [allowed, denied] }) => {
    const { page, choose } = await open(playground, { reducedMotion: 'reduce' })
    await page.getByRole('slider', { name: 'Window' }).fill('1')
    await choose(name)
    const sent = allowed + denied
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.url().includes('/ask?')) statuses.push(response.status())
    })
    await page.getByRole('button', { name: 'Replay traffic' }).click()
    await page.getByText(`of ${sent} requests.`).waitFor()
    const admitted = statuses.filter((status) => status === 200).length
    expect(await page.getByRole('status').textContent()).toBe(
      `The server allowed ${admitted} of ${sent} requests.`,
    )
    expect(await page.locator('#agreement').textContent()).toBe(
      `Decisions by the server: ${sent}. The same core in your browser agrees with all of them.`,
    )
    await page.close()
  },
)

test('the page says that the server is unavailable, and the next request starts over', async () => {
  const { page, send } = await open(playground)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Send a request' }).click()
  await page.getByText('The server is unavailable. Send a request to try again.').waitFor()
  await page.context().setOffline(false)
  await send()
  expect(await count(page.locator('#live'))).toEqual({ allowed: 1, denied: 0 })
  await page.close()
})
