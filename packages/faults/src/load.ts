import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Source } from '@sluice/core'
import { keys, type Algorithm, type Route } from './app/limits.js'
import { moment } from './moments.js'

/** One request and its answer. */
export interface Answered {
  readonly route: Route
  readonly key: string
  readonly start: number
  readonly end: number
  readonly status: number
  readonly source: Source | undefined
  /** The algorithm of the process that answered. */
  readonly algorithm: Algorithm | undefined
  /** The failure, if the answer is not a decision. */
  readonly problem: string | undefined
}

/** Clients that send requests at a fixed rate, whether earlier ones are answered or not. */
export interface Load {
  readonly answers: readonly Answered[]
  /** The number of requests without an answer. */
  pending(): number
  /** Sends no more requests and resolves when all are answered. */
  stop(): Promise<void>
}

const perSecond = 120
const everyMs = 10

/** Sends requests to the processes of an application in turn. */
export function startLoad(ports: readonly number[]): Load {
  const agent = new Agent({ keepAlive: true })
  const answers: Answered[] = []
  const started = moment()
  let sent = 0
  let pending = 0
  const timer = setInterval(() => {
    const due = ((moment() - started) / 1000) * perSecond
    while (sent < due) send(sent++)
  }, everyMs)

  function send(i: number): void {
    const { key, route } = requestAt(i)
    const start = moment()
    pending++

    function answered(status: number, body: string): void {
      pending--
      answers.push({ route, key, start, end: moment(), status, ...read(body) })
    }

    const headers = { 'x-client': key }
    const port = ports[i % ports.length]
    const sending = request({ host: '127.0.0.1', port, path: `/${route}`, agent, headers })
    sending.on('error', (error) => answered(0, JSON.stringify({ problem: String(error) })))
    sending.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => answered(response.statusCode ?? 0, body))
    })
    sending.end()
  }

  return {
    answers,
    pending: () => pending,
    async stop() {
      clearInterval(timer)
      // oxlint-disable-next-line no-unmodified-loop-condition -- each answer takes one off
      while (pending > 0) await delay(5)
      agent.destroy()
    },
  }
}

/** The key and route of a request: in a mixed order, which is always the same, with a third of all requests for the tight limit. */
function requestAt(i: number): { key: string; route: Route } {
  // Knuth's multiplicative hash (The Art of Computer Programming 6.4). Its upper bits are well mixed.
  const mixed = (Math.imul(i + 1, 2_654_435_761) >>> 0) / 2 ** 32
  const index = Math.floor(mixed * 3 * keys.length)
  return { key: keys[index % keys.length], route: index < keys.length ? 'tight' : 'open' }
}

function read(body: string): Pick<Answered, 'source' | 'algorithm' | 'problem'> {
  try {
    const { source, algorithm, problem } = JSON.parse(body) as Partial<Answered>
    return { source, algorithm, problem }
  } catch {
    return { source: undefined, algorithm: undefined, problem: body }
  }
}
