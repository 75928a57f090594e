// @ts-nocheck -- `ws` has no types here
// Limits of a WebSocket server.
import assert from 'node:assert/strict'
// #region websockets
import { createServer } from 'node:http'
import {
  byConnection,
  byUser,
  concurrency,
  createLimiter,
  gcra,
  limitMessages,
  limitUpgrades,
  slidingWindow,
} from '@sluice/sockets'
import { WebSocketServer } from 'ws'

const upgrades = createLimiter({
  name: 'upgrades',
  policies: {
    rate: slidingWindow({ limit: 20, window: '1m' }),
    open: concurrency({ limit: 10, lease: '1m' }),
  },
})
const messages = createLimiter({
  name: 'messages',
  policies: {
    connection: gcra({ limit: 10, window: '1s', burst: 20 }),
    user: slidingWindow({ limit: 300, window: '1m' }),
  },
})

const server = createServer((req, res) => res.writeHead(426).end())
limitUpgrades(server, upgrades)

const sockets = new WebSocketServer({ server, maxPayload: 65_536 })
sockets.on('connection', (socket, request) => {
  socket.on('error', console.error)
  limitMessages(socket, messages, {
    request,
    key: { connection: byConnection(), user: byUser(() => userOf(request)) },
    onMessage: (data) => socket.send(data),
  })
})

// In a real application: the user of the session or the token.
function userOf(request) {
  return request.headers['x-user'] ?? 'nobody'
}
// #endregion
import { once } from 'node:events'
import { WebSocket } from 'ws'

server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `ws://127.0.0.1:${server.address().port}`
const open = async (user) => {
  const socket = new WebSocket(url, { headers: { 'X-User': user } })
  await once(socket, 'open')
  return socket
}

// A flood on one connection is the end of that connection.
const flooding = await open('ada')
const seen = []
flooding.on('message', (data) => seen.push(String(data)))
for (let i = 0; i < 40; i++) flooding.send(`${i}`)
const [code, reason] = await once(flooding, 'close')
assert.deepEqual([code, String(reason)], [1008, 'rate limited'])
assert.ok(seen.length >= 22 && seen.length < 40)

// A user has one quota on all connections, and a message over it receives an error.
await messages.penalize({ connection: 'other', user: ['user', 'bob'] }, 300, {
  policies: {
    user: slidingWindow({ limit: 300, window: '1m' }),
    connection: gcra({ limit: 1000, window: '1s' }),
  },
})
const quiet = await open('bob')
quiet.send('hello')
const [refused] = await once(quiet, 'message')
const { error, retryAfterMs } = JSON.parse(refused)
assert.equal(error, 'RATE_LIMITED')
assert.ok(retryAfterMs > 0 && retryAfterMs <= 60_000)
quiet.close()
await once(quiet, 'close')

// Too many open connections of one address, and then too many upgrades.
const opened = []
for (let i = 0; i < 10; i++) opened.push(await open('ada'))
const [many] = await once(new WebSocket(url), 'error').catch((failure) => [failure])
assert.match(many.message, /429/)
for (const socket of opened) {
  socket.close()
  await once(socket, 'close')
}
for (let i = 12; i < 20; i++) {
  const socket = await open('ada')
  socket.close()
  await once(socket, 'close')
}
const [denied] = await once(new WebSocket(url), 'error').catch((failure) => [failure])
assert.match(denied.message, /429/)
server.close()
server.closeAllConnections()
