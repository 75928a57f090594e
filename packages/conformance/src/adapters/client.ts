import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect, constants } from 'node:http2'
import type { Readable } from 'node:stream'
import type { Adapter } from './adapter.js'

interface Ask {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** The answer to a request. The names of its headers are in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** A request that is pending. */
export interface Sent {
  /** Resolves with the first chunk of the body, or with the end of an empty body. */
  readonly begun: Promise<void>
  /** The whole answer. Rejects if the connection closes before its end. */
  readonly reply: Promise<Reply>
  /** Closes the connection without waiting for the answer. */
  hangUp(): void
}

/** A client that keeps its connections alive, and opens at most `connections`. */
export interface Client {
  send(ask: Ask): Sent
  close(): void
}

export function clientOf(
  { protocol }: Adapter,
  port: number,
  connections: number = Infinity,
): Client {
  return protocol === 'HTTP/2' ? http2Client(port) : http1Client(port, connections)
}

function http1Client(port: number, maxSockets: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets })

  function send(ask: Ask): Sent {
    const sent = request({ host: '127.0.0.1', port, agent, ...ask })
    sent.end()
    return sentOf(headOf(), () => sent.destroy())

    async function headOf(): Promise<Head> {
      const [response]: IncomingMessage[] = await once(sent, 'response')
      return { status: response.statusCode, headers: response.headers, body: response }
    }
  }

  return { send, close: () => agent.destroy() }
}

function http2Client(port: number): Client {
  const session = connect(`http://127.0.0.1:${port}`)

  function send({ method, path, headers }: Ask): Sent {
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    // The promises report the error; a stream without a listener would throw.
    stream.on('error', () => {})
    return sentOf(headOf(), () => stream.close(constants.NGHTTP2_CANCEL))

    async function headOf(): Promise<Head> {
      const [{ ':status': status, ...fields }] = await once(stream, 'response')
      return { status, headers: fields, body: stream }
    }
  }

  return { send, close: () => session.destroy() }
}

interface Head {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Readable
}

function sentOf(head: Promise<Head>, hangUp: () => void): Sent {
  let begin: () => void = () => {}
  const first = new Promise<void>((resolve) => (begin = resolve))
  const reply = replyOf(head, begin)
  const begun = begunBy(first, reply)
  // A client that disconnects waits for neither.
  reply.catch(() => {})
  begun.catch(() => {})
  return { begun, reply, hangUp }
}

async function begunBy(first: Promise<void>, reply: Promise<Reply>): Promise<void> {
  await Promise.race([first, reply])
}

async function replyOf(head: Promise<Head>, begin: () => void): Promise<Reply> {
  const { status = 0, headers, body } = await head
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)])
  let text = ''
  for await (const piece of body.setEncoding('utf8')) {
    text += piece
    begin()
  }
  return { status, headers: Object.fromEntries(entries), body: text }
}
