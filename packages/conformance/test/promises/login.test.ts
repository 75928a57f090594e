import { fixedWindow, rateLimit, redisStore, slidingWindow } from '@sluice/express'
import { useRedis } from '@sluice/test-kit/redis'
import express, { type Request } from 'express'
import type { Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The limits of examples/login, over Redis.

const redis = useRedis()
let server: Server
beforeAll(async () => {
  server = await startLogin()
})
afterAll(() => void server.close())

test('a locked account costs Redis about one command a second, however many attempts are made', async () => {
  for (let i = 0; i < 4; i++) await tryToLogIn('wrong')
  const before = await scripts()
  const begins = performance.now()
  const answers = new Set<number>()
  for (let i = 0; i < 150; i++) answers.add(await tryToLogIn('wrong'))
  const seconds = (performance.now() - begins) / 1000
  expect([...answers]).toEqual([429])
  expect((await scripts()) - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
})

test('a success in this process resets the failures at once, including denials in the deny cache', async () => {
  const name = 'grace'
  const failing = [tryToLogIn('wrong', name), tryToLogIn('wrong', name), tryToLogIn('slow', name)]
  await Promise.all(failing.slice(0, 2))
  const statuses = [await tryToLogIn('wrong', name), await tryToLogIn('wrong', name)]
  expect(statuses).toEqual([429, 429])
  goOn()
  expect(await failing[2]).toBe(200)
  expect(await tryToLogIn('right', name)).toBe(200)
})

/** Makes the slow login succeed. */
let goOn: () => void = () => {}
const slow = new Promise<void>((resolve) => (goOn = resolve))

async function startLogin(): Promise<Server> {
  const store = redisStore(redis.client(), { timeout: '10s' })
  const logins = rateLimit({
    name: 'login',
    policies: {
      address: slidingWindow({ limit: 20, window: '1h' }),
      account: fixedWindow({ limit: 3, window: '1m' }),
    },
    key: {
      address: (request) => ['address', nameIn(request)],
      account: (request) => nameIn(request),
    },
    count: 'failures',
    resetOn: { success: ['account'] },
    store,
  })
  const app = express()
  app.post('/login', logins, (request, response) => {
    const password = request.get('x-password')
    const answer = () => response.sendStatus(password === 'wrong' ? 401 : 200)
    if (password === 'slow') void slow.then(answer)
    else answer()
  })
  const listening = app.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
}

function nameIn(request: Request): string {
  return request.get('x-name') ?? ''
}

async function tryToLogIn(password: string, name: string = 'ada'): Promise<number> {
  const { port } = server.address() as AddressInfo
  const headers = { 'x-name': name, 'x-password': password }
  const response = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', headers })
  await response.text()
  return response.status
}

async function scripts(): Promise<number> {
  const stats = await redis.connection.info('commandstats')
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])
}
