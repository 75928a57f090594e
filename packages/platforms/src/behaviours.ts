import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildsWithinMs } from './applications.js'
import type { Running } from './runtimes.js'
import { skipIf } from './skip.js'
import { visitorOf, type Visitor } from './visitor.js'

/** A way to serve `servers/behaviours.js`. */
export interface Behaving {
  readonly name: string
  /** The reason why this machine cannot run it. */
  readonly missing?: string | undefined
  /** Whether it expects a proxy in front. */
  readonly isProxied?: boolean
  /** The advice for a request without an address. */
  readonly advice: string
  serve(): Promise<Running>
}

/** The tests that every runtime passes. */
export function describeBehaviours({ name, missing, isProxied, advice, serve }: Behaving): void {
  const { isSkipped, title } = skipIf(name, missing)
  describe.skipIf(isSkipped)(title, () => {
    let running: Running
    beforeAll(async () => {
      running = await serve()
    }, buildsWithinMs)
    afterAll(() => running?.stop())
    const visitor = (): Visitor => visitorOf(running.url, isProxied)

    test('two requests are allowed, the third is denied with a problem and the wait', async () => {
      const { ask, statuses } = visitor()
      const allowed = await ask('text')
      expect(await allowed.text()).toBe('Hello.')
      expect(allowed.headers.get('RateLimit')).toMatch(/^"twice";r=1;t=\d+$/)
      expect(allowed.headers.get('RateLimit-Policy')).toBe('"twice";q=2;w=3600')
      expect(allowed.headers.get('Retry-After')).toBeNull()
      expect(await statuses(1, 'text')).toEqual([200])
      const denied = await ask('text')
      expect(denied.status).toBe(429)
      expect(denied.headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
      expect(denied.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      expect(denied.headers.get('RateLimit')).toMatch(/^"twice";r=0;t=\d+$/)
      expect(await denied.json()).toMatchObject({ status: 429, 'violated-policies': ['twice'] })
    })

    test.each<[string, number, string]>([
      ['raw', 201, '{}'],
      ['redirect', 302, ''],
      ['thrown', 410, 'Gone.'],
    ])(
      'the response of "%s" keeps its status and body, and has the headers',
      async (path, ...is) => {
        const response = await visitor().ask(path)
        expect([response.status, await response.text()]).toEqual(is)
        expect(response.headers.get('RateLimit')).toMatch(/^"twice";r=1;t=\d+$/)
        if (path === 'redirect') expect(response.headers.get('Location')).toMatch(/\/elsewhere$/)
      },
    )

    test('a proxied response has the headers', async () => {
      const upstream = createServer((_request, response) =>
        response.writeHead(203, { 'X-Upstream': 'yes' }).end('From elsewhere.'),
      ).listen(0, '127.0.0.1')
      await once(upstream, 'listening')
      const { port } = upstream.address() as AddressInfo
      try {
        const response = await visitor().ask(`proxied?from=http://127.0.0.1:${port}/`)
        expect([response.status, await response.text()]).toEqual([203, 'From elsewhere.'])
        expect(response.headers.get('X-Upstream')).toBe('yes')
        expect(response.headers.get('RateLimit')).toMatch(/^"twice";r=1;t=\d+$/)
      } finally {
        upstream.closeAllConnections()
        upstream.close()
      }
    })

    test(`with count: 'failures', successes are refunded, and a failure is not`, async () => {
      const { statuses } = visitor()
      expect(await statuses(3, 'failures?status=200')).toEqual([200, 200, 200])
      expect(await statuses(2, 'failures?status=401')).toEqual([401, 429])
    })

    test('a unit of concurrency is in use while its stream runs, and free when its client has disconnected', async () => {
      const { ask, statuses } = visitor()
      const client = new AbortController()
      const stream = await ask('stream', { signal: client.signal })
      expect([stream.status, (await stream.body?.getReader().read())?.done]).toEqual([200, false])
      expect(await statuses(2, 'stream')).toEqual([429, 429])
      client.abort()
      async function again(): Promise<number> {
        const next = await ask('stream')
        await next.body?.cancel()
        return next.status
      }
      await expect.poll(again, { timeout: 10_000, interval: 100 }).toBe(200)
    })

    test('a request without an address is an error with the advice for this runtime', async () => {
      const response = await visitor().ask('no-address')
      expect([response.status, await response.json()]).toEqual([
        500,
        { code: 'SLUICE_ADDRESS_MISSING', message: expect.stringContaining(advice) },
      ])
    })

    test('a forged X-Forwarded-For changes nothing', async () => {
      const { statuses } = visitor()
      expect(await statuses(2, 'text')).toEqual([200, 200])
      for (const forged of ['203.0.113.7', '203.0.113.7, 198.51.100.9', '::1, unknown']) {
        expect(await statuses(1, 'text', { headers: { 'X-Forwarded-For': forged } })).toEqual([429])
      }
      const others = ['Forwarded', 'X-Real-IP', 'True-Client-IP', 'X-Client-IP']
      for (const name of others) {
        const headers = { [name]: name === 'Forwarded' ? 'for=203.0.113.7' : '203.0.113.7' }
        expect(await statuses(1, 'text', { headers })).toEqual([429])
      }
    })

    test('two limits join their headers', async () => {
      const response = await visitor().ask('two')
      expect(response.headers.get('RateLimit')).toMatch(/^"many";r=8;t=\d+, "twice";r=1;t=\d+$/)
      expect(response.headers.get('RateLimit-Policy')).toBe('"many";q=9;w=3600, "twice";q=2;w=3600')
    })

    test('the denial of a HEAD request has no body, and has the headers of a middleware', async () => {
      const { ask, statuses } = visitor()
      expect(await statuses(2, 'cors', { method: 'HEAD' })).toEqual([200, 200])
      for (const [method, body] of [
        ['HEAD', 'none'],
        ['GET', 'some'],
      ] as const) {
        const denied = await ask('cors', { method })
        expect(denied.status).toBe(429)
        expect(denied.headers.get('Access-Control-Allow-Origin')).toBe('*')
        expect(denied.headers.get('X-Body')).toBe(body)
        expect(denied.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
        expect((await denied.text()) === '').toBe(method === 'HEAD')
      }
    })
  })
}
