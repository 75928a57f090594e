import { once } from 'node:events'
import {
  Catch,
  UseFilters,
  type ArgumentsHost,
  type INestApplication,
  type ModuleMetadata,
  type WebSocketAdapter,
  type WsExceptionFilter,
} from '@nestjs/common'
import { IoAdapter } from '@nestjs/platform-socket.io'
import { WsAdapter } from '@nestjs/platform-ws'
import { WsException } from '@nestjs/websockets'
import { io } from 'socket.io-client'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { create, platforms } from './apps.js'

/** A connection of a client. */
export interface Connection {
  send(event: string, data?: unknown): void
  /** The first events that the server has sent, with their data. */
  received(count: number): Promise<[event: string, data: unknown][]>
  close(): void
}

export type Connect = (headers?: Record<string, string>) => Promise<Connection>

export type Sockets = [
  name: string,
  serve: (metadata: ModuleMetadata) => Promise<Connect>,
  /** The decorators that a gateway needs so that its exceptions reach the client. */
  exceptions: ClassDecorator[],
]

async function listening(
  metadata: ModuleMetadata,
  makeSockets: (app: INestApplication) => WebSocketAdapter,
): Promise<string> {
  const [[, adapter]] = platforms
  const app = await create(adapter(), metadata)
  app.useWebSocketAdapter(makeSockets(app))
  await app.listen(0, '127.0.0.1')
  return app.getUrl()
}

/** Sends exceptions to clients of ws. Nest's own filter emits them on the socket of the server. */
class SendExceptions implements WsExceptionFilter<WsException> {
  catch(exception: WsException, host: ArgumentsHost): void {
    const client = host.switchToWs().getClient<WebSocket>()
    client.send(JSON.stringify({ event: 'exception', data: exception.getError() }))
  }
}
Catch(WsException)(SendExceptions)

/** The servers of sockets that Nest has. */
export const sockets: Sockets[] = [
  [
    'socket.io',
    async (metadata) => {
      const url = await listening(metadata, (app) => new IoAdapter(app))
      return async (headers = {}) => {
        const socket = io(url, { extraHeaders: headers, forceNew: true, transports: ['websocket'] })
        onTestFinished(() => void socket.close())
        const events: [string, unknown][] = []
        socket.onAny((event: string, data: unknown) => events.push([event, data]))
        await new Promise<void>((resolve) => socket.once('connect', resolve))
        return {
          send: (event, data) => void socket.emit(event, data),
          received: async (count) => received(events, count),
          close: () => void socket.close(),
        }
      }
    },
    [],
  ],
  [
    'ws',
    async (metadata) => {
      const url = await listening(metadata, (app) => new WsAdapter(app))
      return async (headers = {}) => {
        const socket = new WebSocket(url.replace('http', 'ws'), { headers })
        onTestFinished(() => socket.terminate())
        const events: [string, unknown][] = []
        socket.on('message', (text: Buffer) => {
          const { event, data } = JSON.parse(text.toString())
          events.push([event, data])
        })
        await once(socket, 'open')
        return {
          send: (event, data) => socket.send(JSON.stringify({ event, data })),
          received: async (count) => received(events, count),
          close: () => socket.close(),
        }
      }
    },
    [UseFilters(new SendExceptions())],
  ],
]

async function received(events: [string, unknown][], count: number): Promise<[string, unknown][]> {
  await vi.waitUntil(() => events.length >= count, { interval: 5 })
  return events.slice(0, count)
}
