import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildsWithinMs, startNext } from '../src/applications.js'
import { describeBehaviours } from '../src/behaviours.js'
import type { Running } from '../src/runtimes.js'
import { visitorOf, type Visitor } from '../src/visitor.js'

const advice = 'Next.js passes on the X-Forwarded-For that the client wrote, and no address is safe'

for (const place of ['node', 'edge']) {
  describeBehaviours({
    name: `a route handler of Next.js, built and started (${place})`,
    isProxied: true,
    advice,
    async serve() {
      const { url, stop } = await startNext()
      return { url: `${url}/${place}`, stop }
    },
  })
}

describe('Next.js', () => {
  let running: Running
  beforeAll(async () => {
    running = await startNext()
  }, buildsWithinMs)
  afterAll(() => running?.stop())
  const visitor = (): Visitor => visitorOf(running.url, true)

  test('proxyLimit allows two requests for a page, and denies the third', async () => {
    const { ask, statuses } = visitor()
    const page = await ask('page')
    expect([page.status, await page.text()]).toEqual([200, 'Page.'])
    expect(page.headers.get('RateLimit')).toMatch(/^"proxy";r=1;t=\d+$/)
    expect(page.headers.get('RateLimit-Policy')).toBe('"proxy";q=2;w=3600')
    expect(page.headers.get('Retry-After')).toBeNull()
    const forged = { headers: { 'X-Forwarded-For': '203.0.113.7' } }
    expect(await statuses(2, 'page', forged)).toEqual([200, 429])
    const denied = await ask('page')
    expect(denied.headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
    expect(denied.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
    expect(await denied.json()).toMatchObject({ status: 429, 'violated-policies': ['proxy'] })
  })

  test('a limit passes on redirect(), which does not count as a failure, and notFound(), which does', async () => {
    const { ask, statuses } = visitor()
    expect(await statuses(3, 'thrown/redirect')).toEqual([307, 307, 307])
    const redirect = await ask('thrown/redirect')
    expect(redirect.headers.get('Location')).toMatch(/\/page$/)
    expect(await statuses(2, 'thrown/unknown')).toEqual([404, 429])
  })

  test('a route contains one core', async () => {
    expect(await (await visitor().ask('copies')).json()).toEqual([true, true, false])
  })
})
