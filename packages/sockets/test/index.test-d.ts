// Checked by the compiler alone: npm run check:types.
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { Server, type DefaultEventsMap, type Socket } from 'socket.io'
import { expectTypeOf } from 'vitest'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import {
  byConnection,
  byIp,
  byUser,
  createLimiter,
  firstOf,
  limitConnections,
  limitEvents,
  limitMessages,
  limitUpgrades,
  type Decision,
} from '../src/index.js'

const limiter = createLimiter({ name: 'sockets', limit: 1, window: '1m' })

interface Data {
  user?: string
}
type OwnSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, Data>

const io = new Server<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, Data>()
io.use(limitConnections(limiter)).use(limitEvents(limiter))
io.of('/chat').use(limitEvents(limiter))

// The functions receive the socket of the application.
io.use(
  limitConnections(limiter, {
    key(socket) {
      expectTypeOf(socket.data.user).toEqualTypeOf<string | undefined>()
      return socket.data.user ?? 'nobody'
    },
    onDenied(socket, next, decision) {
      expectTypeOf(socket.data).toEqualTypeOf<Partial<Data>>()
      expectTypeOf(decision).toEqualTypeOf<Decision>()
      next()
    },
  }),
)
io.use(
  limitEvents<OwnSocket>(limiter, {
    key: {
      connection: byConnection(),
      user: firstOf(
        byUser(({ socket }) => socket.data.user),
        byIp(),
      ),
    },
    cost: ({ name, args }) => (name === 'upload' && Buffer.isBuffer(args[0]) ? args[0].length : 1),
  }),
)

const sockets = new WebSocketServer({ noServer: true })
sockets.on('connection', (socket, request) => {
  limitMessages(socket, limiter, {
    request,
    key: byUser(({ socket: own }) => {
      expectTypeOf(own).toEqualTypeOf<WebSocket>()
      return own.protocol
    }),
    onMessage(data, isBinary) {
      expectTypeOf(data).toEqualTypeOf<RawData>()
      expectTypeOf(isBinary).toEqualTypeOf<boolean>()
    },
  })
  // @ts-expect-error: the messages have no handler
  limitMessages(socket, limiter, { request })
})

limitUpgrades(createServer(), limiter)
limitUpgrades(createSecureServer(), limiter)
limitUpgrades(sockets, limiter, { onDenied: (_request, socket) => socket.end('') })
// @ts-expect-error: no server
limitUpgrades('http://localhost', limiter)
