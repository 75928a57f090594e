import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { fixedWindow, rateLimit, type RateLimitOptions } from '../src/index.js'
import { appOf, frameworks, start } from './apps.js'

const limit: RateLimitOptions = {
  policies: fixedWindow({ limit: 5, window: '1m' }),
  clock: () => start,
}

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
})

async function listen(app: Parameters<typeof createServer>[1], path?: string): Promise<number> {
  const server = createServer(app)
  servers.push(server)
  if (path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')
  return path === undefined ? (server.address() as AddressInfo).port : 0
}

describe.each(frameworks)('%s', (_, create) => {
  test('allows exactly the limit of a parallel burst', async () => {
    const port = await listen(appOf(create, rateLimit(limit)))
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(`http://127.0.0.1:${port}/`)
        await response.text()
        return response
      }),
    )
    expect(responses.filter(({ status }) => status === 200).length).toBe(5)
    expect(responses.filter(({ status }) => status === 429).length).toBe(15)
    const fields = responses.map(({ headers }) => headers.get('ratelimit'))
    const admitted = [4, 3, 2, 1, 0].map((r) => `"default";r=${r};t=60`)
    expect(new Set(fields)).toEqual(new Set(admitted))
  })

  test('responds to requests in one packet in their order', async () => {
    const port = await listen(appOf(create, rateLimit(limit)))
    const socket = connect(port, '127.0.0.1')
    const next = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    const last = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    socket.write(next.repeat(6) + last)
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    await once(socket, 'close')
    expect(received.match(/HTTP\/1\.1 \d+ [^\r]+/g)).toEqual([
      ...Array.from({ length: 5 }, () => 'HTTP/1.1 200 OK'),
      ...Array.from({ length: 2 }, () => 'HTTP/1.1 429 Too Many Requests'),
    ])
    expect(received.match(/RateLimit: .*/g)?.map((line) => line.trim())).toEqual(
      [4, 3, 2, 1, 0, 0, 0].map((r) => `RateLimit: "default";r=${r};t=60`),
    )
  })

  test('continues after a client disconnects while its key is looked up', async () => {
    const found: (() => void)[] = []
    const key = () => new Promise<string>((resolve) => found.push(() => resolve('all')))
    const port = await listen(
      appOf(create, rateLimit({ ...limit, key, skip: ({ path }) => path !== '/' })),
    )
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => found.length === 1)
    socket.destroy()
    await once(socket, 'close')
    found[0]()
    const response = fetch(`http://127.0.0.1:${port}/`)
    await until(() => found.length === 2)
    found[1]()
    expect((await response).headers.get('ratelimit')).toBe('"default";r=3;t=60')
  })

  test('refuses a request over a unix socket, which has no address, unless the options have a key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    try {
      const path = join(folder, 'plain.sock')
      await listen(appOf(create, rateLimit(limit)), path)
      expect(await statusAt(path)).toBe(500)
      const keyed = join(folder, 'keyed.sock')
      await listen(appOf(create, rateLimit({ ...limit, key: 'all' })), keyed)
      expect(await statusAt(keyed)).toBe(200)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

async function statusAt(socketPath: string): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(
    request({ socketPath, path: '/' }).end(),
    'response',
  )
  response.resume()
  return response.statusCode
}

/** Waits turns of the event loop until a condition holds. */
async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setImmediate(resolve))
}
