// @ts-nocheck -- `ws` has no types here
// The connections that a user has open at once.
import assert from 'node:assert/strict'
// #region connections
import { once } from 'node:events'
import { concurrency, createLimiter, limited } from '@sluice/core'
import { WebSocketServer } from 'ws'

const connections = createLimiter({
  name: 'connections',
  policies: concurrency({ limit: 5, lease: '1m' }),
})

const serve = limited(connections, (ws, user) => ({ key: ['user', user] }), {
  onDenied: (decision, ws) => ws.close(1013, 'too many connections'),
})(async (ws, user) => {
  ws.send(`Hello ${user}.`)
  await once(ws, 'close') // the unit is held until then
})

const sockets = new WebSocketServer({ port: Number(process.env.PORT ?? 0) })
sockets.on('connection', (ws, req) => {
  const user = req.headers['x-user'] ?? 'nobody'
  serve(ws, user).catch(console.error)
})
// #endregion
import { WebSocket } from 'ws'

if (sockets.address() === null) await once(sockets, 'listening')
const url = `ws://127.0.0.1:${sockets.address().port}`
const open = async () => {
  const socket = new WebSocket(url)
  const [message] = await once(socket, 'message')
  assert.equal(String(message), 'Hello nobody.')
  return socket
}

const opened = []
for (let i = 0; i < 5; i++) opened.push(await open())
const [code, reason] = await once(new WebSocket(url), 'close')
assert.deepEqual([code, String(reason)], [1013, 'too many connections'])

const status = async () => (await connections.status(['user', 'nobody'])).policies.default.used
opened[0].close()
await once(opened[0], 'close')
while ((await status()) === 5) await new Promise((resolve) => setTimeout(resolve, 5))
opened.push(await open())
for (const socket of opened) socket.terminate()
sockets.close()
