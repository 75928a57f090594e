import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, type ServerOptions, type Socket as IoSocket } from 'socket.io'
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from 'ws'

/** A server of node:http on a free port of the loopback, until the test ends. */
export async function listening(server: HttpServer = createServer()): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export interface IoServer {
  readonly io: Server
  readonly http: HttpServer
  /** The sockets of the server, in the order of their connections. */
  readonly sockets: IoSocket[]
  /** A client that does not connect again. */
  connect(options?: Partial<ManagerOptions & SocketOptions>, namespace?: string): Socket
}

/** A server of socket.io, until the test ends. */
export async function startIo(
  prepare: (io: Server) => void,
  options: Partial<ServerOptions> = {},
): Promise<IoServer> {
  const http = createServer()
  const server = new Server(http, options)
  const sockets: IoSocket[] = []
  prepare(server)
  server.on('connection', (socket) => void sockets.push(socket))
  const port = await listening(http)
  onTestFinished(async () => server.close())
  return {
    io: server,
    http,
    sockets,
    connect(clientOptions = {}, namespace = '/') {
      const client = io(`http://127.0.0.1:${port}${namespace}`, {
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
        ...clientOptions,
      })
      onTestFinished(() => void client.disconnect())
      return client
    },
  }
}

/** The names of the warnings of the process, until the test ends. */
export function warnings(): string[] {
  const names: string[] = []
  const note = ({ name }: Error): void => void names.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  return names
}

/** Resolves to the data of the error with which the server denies the connection, or to undefined when it is connected. */
export async function outcomeOf(client: Socket): Promise<unknown> {
  return new Promise((resolve) => {
    client.once('connect', () => resolve(undefined))
    client.once('connect_error', (error) => resolve(Reflect.get(error, 'data') ?? error))
  })
}

export interface WsServer {
  readonly sockets: WebSocketServer
  readonly port: number
  connect(options?: ClientOptions): WebSocket
}

/** A server of ws, until the test ends. */
export async function startWs(
  prepare: (sockets: WebSocketServer, http: HttpServer) => void,
): Promise<WsServer> {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  prepare(sockets, http)
  const port = await listening(http)
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  })
  return {
    sockets,
    port,
    connect(options) {
      const client = new WebSocket(`ws://127.0.0.1:${port}`, options)
      client.on('error', () => {})
      onTestFinished(() => client.terminate())
      return client
    },
  }
}

/** Resolves to the status and the headers of the response to an upgrade. */
export async function responseTo(
  client: WebSocket,
): Promise<{ readonly status: number; readonly retryAfter: string | undefined }> {
  return new Promise((resolve) => {
    client.once('open', () => resolve({ status: 101, retryAfter: undefined }))
    client.once('unexpected-response', (_request, response) => {
      const { statusCode = 0, headers } = response
      response.resume()
      resolve({ status: statusCode, retryAfter: headers['retry-after'] })
    })
  })
}

/** A message of ws as text. */
export function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(new Uint8Array(data))).toString()
}
