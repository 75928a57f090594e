// @ts-nocheck -- the types of a user's data are those of the application
// Limits of a socket.io server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
// #region connections
import { createServer } from 'node:http'
import {
  byConnection,
  byIp,
  byUser,
  concurrency,
  createLimiter,
  firstOf,
  gcra,
  limitConnections,
  limitEvents,
  slidingWindow,
} from '@sluice/sockets'
import { Server } from 'socket.io'

const connections = createLimiter({
  name: 'connections',
  policies: {
    rate: slidingWindow({ limit: 20, window: '1m' }),
    open: concurrency({ limit: 5, lease: '1m' }),
  },
})
const events = createLimiter({
  name: 'events',
  policies: {
    connection: gcra({ limit: 10, window: '1s', burst: 20 }),
    user: slidingWindow({ limit: 300, window: '1m' }),
  },
})

const server = createServer()
const io = new Server(server)
io.use(limitConnections(connections))
io.use(
  limitEvents(events, {
    key: {
      connection: byConnection(),
      user: firstOf(
        byUser(({ socket }) => socket.data.user),
        byIp(),
      ),
    },
    cost: ({ name }) => (name === 'search' ? 5 : 1),
  }),
)

io.on('connection', (socket) => {
  socket.on('error', (error) => console.log(error.data)) // denied, without an acknowledgement
  socket.on('search', (text, acknowledge) => acknowledge(`Found ${text}.`))
})
// #endregion
import { io as connect } from 'socket.io-client'

server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`
const open = () => connect(url, { forceNew: true, reconnection: false, transports: ['websocket'] })
const isOpen = (client) =>
  new Promise((resolve) => {
    client.once('connect', () => resolve(true))
    client.once('connect_error', ({ data }) => resolve(data))
  })

const clients = Array.from({ length: 6 }, open)
const outcomes = await Promise.all(clients.map(isOpen))
assert.equal(outcomes.filter((outcome) => outcome === true).length, 5)
assert.deepEqual(
  outcomes.find((outcome) => outcome !== true),
  { code: 'RATE_LIMITED', retryAfterMs: 1000 },
)

const client = clients[outcomes.indexOf(true)]
const answers = await Promise.all(
  Array.from({ length: 5 }, (_, i) => client.emitWithAck('search', `${i}`)),
)
assert.deepEqual(answers.slice(0, 4), ['Found 0.', 'Found 1.', 'Found 2.', 'Found 3.'])
assert.equal(answers[4].error.code, 'RATE_LIMITED')
for (const each of clients) each.disconnect()
io.close()
