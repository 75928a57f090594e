import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connect2, createServer as createServer2 } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, Http2ServerResponse } from 'node:http2'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { NodeResponse } from '@sluice/core/http'

/** A response of HTTP/1 or HTTP/2. */
export interface Answering extends NodeResponse {
  statusCode: number
  write(chunk: string | Buffer): unknown
  end(): unknown
  end(body: string | Buffer): unknown
  once(event: 'finish' | 'close', listener: () => void): unknown
  listenerCount(event: string): number
}

export type Handler = (response: Answering, url: string) => void

/** A client with one request. */
export interface Client {
  /** Resolves to the body. */
  whole(): Promise<string>
  /** Resolves when the first bytes of the body arrive. */
  begun(): Promise<unknown>
  leave(): void
}

/** Starts a server and returns a function that sends requests. Both are closed at the end of the test. */
export type Start = (handler: Handler) => Promise<(url?: string, method?: string) => Client>

export const startHttp1: Start = async (handler) => {
  const port = await listen1(handler)
  return (url = '/', method = 'GET') => {
    const asked = request({ host: '127.0.0.1', port, path: url, method, agent: false }).end()
    asked.on('error', () => {})
    const answer = once(asked, 'response')
    answer.catch(() => {})
    return {
      whole: async () => bodyOf((await answer)[0]),
      begun: async () => once((await answer)[0], 'data'),
      leave: () => asked.destroy(),
    }
  }
}

export const startHttp2: Start = async (handler) => {
  const port = await listen2(handler)
  return (url = '/', method = 'GET') => {
    const session: ClientHttp2Session = connect2(`http://127.0.0.1:${port}`)
    onTestFinished(() => session.destroy())
    const stream: ClientHttp2Stream = session.request({ ':path': url, ':method': method })
    session.on('error', () => {})
    stream.on('error', () => {})
    return {
      whole: () => bodyOf(stream),
      begun: () => once(stream, 'data'),
      leave: () => stream.close(8),
    }
  }
}

/** A connection for pipelined requests. */
export async function dial(handler: Handler): Promise<Socket> {
  const socket = connect(await listen1(handler), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function listen1(handler: Handler): Promise<number> {
  return listen(
    createServer((asked: IncomingMessage, response: ServerResponse) => {
      // A request that was read to its end emits no further event, even when its connection closes.
      asked.resume()
      asked.once('end', () => handler(response, asked.url ?? ''))
    }),
  )
}

async function listen2(handler: Handler): Promise<number> {
  return listen(
    createServer2((asked, response: Http2ServerResponse) => handler(response, asked.url)),
  )
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function bodyOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
