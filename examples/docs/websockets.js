// @ts-nocheck -- `ws` has no types here
// Limits of a WebSocket server.
import assert from 'node:assert/strict'
// #region websockets
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createLimiter, gcra, slidingWindow } from '@sluice/core'
import { ipKey } from '@sluice/core/http/application'
import { WebSocketServer } from 'ws'

const upgrades = createLimiter({
  name: 'upgrades',
  policies: slidingWindow({ limit: 20, window: '1m' }),
})
const messages = createLimiter({
  name: 'messages',
  policies: {
    connection: gcra({ limit: 10, window: '1s', burst: 20 }),
    user: slidingWindow({ limit: 300, window: '1m' }),
  },
})

const server = createServer((req, res) => res.writeHead(426).end())
const sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 })

server.on('upgrade', (req, socket, head) => {
  socket.on('error', () => socket.destroy())
  upgrade(req, socket, head).catch(() => socket.destroy())
})

async function upgrade(req, socket, head) {
  const { allowed, retryAfterMs } = await upgrades.consume(ipKey(req.socket.remoteAddress))
  if (allowed) return sockets.handleUpgrade(req, socket, head, (ws) => connect(ws, req))
  const wait = Math.ceil(retryAfterMs / 1000)
  socket.end(`HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${wait}\r\nConnection: close\r\n\r\n`)
}

function connect(ws, req) {
  const key = { connection: randomUUID(), user: ['user', userOf(req)] }
  ws.on('error', console.error)
  ws.on('message', async (data) => {
    const { allowed, deniedBy, retryAfterMs } = await messages.consume(key)
    if (allowed) return ws.send(`echo: ${data}`)
    if (deniedBy.includes('connection')) return ws.close(1008, 'too many messages')
    ws.send(JSON.stringify({ error: 'rate limited', retryAfterMs }))
  })
}

// In a real application: check the session or the token before the upgrade.
function userOf(req) {
  return req.headers['x-user'] ?? 'nobody'
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
assert.deepEqual([code, String(reason)], [1008, 'too many messages'])
assert.ok(seen.length >= 20 && seen.length < 40)

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
assert.equal(error, 'rate limited')
assert.ok(retryAfterMs > 0 && retryAfterMs <= 60_000)
quiet.close()

// Too many connections of one address.
for (let i = 2; i < 20; i++) (await open('ada')).close()
const denied = new WebSocket(url)
const [failure] = await once(denied, 'error').catch((error) => [error])
assert.match(failure.message, /429/)
server.close()
server.closeAllConnections()
