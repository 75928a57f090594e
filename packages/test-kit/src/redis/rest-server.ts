import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Redis } from 'ioredis'
import { freePort } from './server.js'

/** A reply of Redis, as the REST protocol encodes it: `{ result }` with status 200, or `{ error }` with status 400. */
interface RestReply {
  readonly status: number
  readonly body: string
}

/**
 * Answers one call in place of the service.
 *
 * @param forward sends the call to Redis
 */
export type RestAnswer = (
  response: ServerResponse,
  forward: () => Promise<RestReply>,
) => void | Promise<void>

/** A service that speaks the REST protocol of Upstash, in front of a real Redis. */
export interface RestServer {
  readonly url: string
  readonly token: string
  /** The command of each HTTP request that has arrived, by its name. */
  readonly commands: string[]
  /** Replaces the answers from now on. Undefined: those of Redis. */
  answer: RestAnswer | undefined
  stop(): Promise<void>
}

/**
 * Starts the service on the loopback. Like the original it takes a command as a JSON list by POST, or a list of commands at `/pipeline`; it sends integers as
 * numbers and strings as text, in which bytes that are not UTF-8 are replaced, or as base64 on request; and it checks a bearer token.
 */
export async function startRestServer(redis: Redis, port?: number): Promise<RestServer> {
  const token = 'a-token-for-tests'
  const at = port ?? (await freePort())
  const rest: RestServer = {
    url: `http://127.0.0.1:${at}`,
    token,
    commands: [],
    answer: undefined,
    async stop() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = JSON.parse(await text(request))
    const isPipeline = request.url === '/pipeline'
    const commands = isPipeline ? listsIn(body) : [wordsOf(body)]
    rest.commands.push(...commands.map(([name]) => name))
    const asBase64 = request.headers['upstash-encoding'] === 'base64'

    async function forward(): Promise<RestReply> {
      if (request.method !== 'POST') return failed(405, 'ERR only POST is supported')
      if (request.headers.authorization !== `Bearer ${token}`) {
        return failed(401, 'WRONGPASS invalid or missing auth token')
      }
      const replies = await Promise.all(commands.map((words) => replyOf(redis, words, asBase64)))
      if (isPipeline) return { status: 200, body: JSON.stringify(replies) }
      return { status: 'error' in replies[0] ? 400 : 200, body: JSON.stringify(replies[0]) }
    }

    if (rest.answer === undefined) send(response, await forward())
    else await rest.answer(response, forward)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => send(response, failed(500, String(error))))
  })
  server.listen(at, '127.0.0.1')
  await once(server, 'listening')
  return rest
}

/** Sends a reply as the service does. */
export function send(response: ServerResponse, { status, body }: RestReply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

async function replyOf(
  redis: Redis,
  [command, ...args]: readonly string[],
  asBase64: boolean,
): Promise<{ readonly result: unknown } | { readonly error: string }> {
  try {
    return { result: encoded(await redis.callBuffer(command, args), asBase64) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function encoded(value: unknown, asBase64: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => encoded(item, asBase64))
  if (value instanceof Error) return value.message
  return Buffer.isBuffer(value) ? value.toString(asBase64 ? 'base64' : 'utf8') : value
}

function failed(status: number, error: string): RestReply {
  return { status, body: JSON.stringify({ error }) }
}

function listsIn(body: unknown): string[][] {
  return Array.isArray(body) ? body.map(wordsOf) : []
}

function wordsOf(body: unknown): string[] {
  if (!Array.isArray(body) || body.length === 0) throw new TypeError('ERR empty command')
  return body.map(String)
}
