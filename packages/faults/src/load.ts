import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Source } from '@sluice/core'
import { keys, type Route } from './limits.js'
import { moment } from './moments.js'

/** What one client asked and was told. */
export interface Answered {
  readonly route: Route
  readonly key: string
  readonly start: number
  readonly end: number
  readonly status: number
  readonly source: Source | undefined
  /** What went wrong, where it was no decision. */
  readonly problem: string | undefined
}

/** Clients that send requests as time goes by, whether the ones before are answered or not. */
export interface Load {
  readonly answers: readonly Answered[]
  /** How many requests are not answered yet. */
  pending(): number
  /** Sends no more, and resolves when all are answered. */
  stop(): Promise<void>
}

const perSecond = 120
const everyMs = 10

export function startLoad(port: number): Load {
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
    const { key, route } = asked(i)
    const start = moment()
    pending++

    function answered(status: number, body: string): void {
      pending--
      answers.push({ route, key, start, end: moment(), status, ...read(body) })
    }

    const headers = { 'x-client': key }
    const asking = request({ host: '127.0.0.1', port, path: `/${route}`, agent, headers })
    asking.on('error', (error) => answered(0, JSON.stringify({ problem: String(error) })))
    asking.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => answered(response.statusCode ?? 0, body))
    })
    asking.end()
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

/** In no order, but in the same one each time, and a third of all at the tight limit. */
function asked(i: number): { key: string; route: Route } {
  // Knuth's multiplicative hash (The Art of Computer Programming 6.4), of which the upper bits are good.
  const mixed = (Math.imul(i + 1, 2_654_435_761) >>> 0) / 2 ** 32
  const place = Math.floor(mixed * 3 * keys.length)
  return { key: keys[place % keys.length], route: place < keys.length ? 'tight' : 'open' }
}

function read(body: string): Pick<Answered, 'source' | 'problem'> {
  try {
    const { source, problem } = JSON.parse(body) as Partial<Answered>
    return { source, problem }
  } catch {
    return { source: undefined, problem: body }
  }
}
