import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { countedKey, createLimiter, type Limiter, type MemoryStore } from '@sluice/core'
import type { KeyView, TopKey, TopKeys, View } from '@sluice/dashboard'
import { versionHeader, viewVersion } from '@sluice/dashboard/internal'
import { onTestFinished } from 'vitest'

/** A server that speaks the HTTP interface of a dashboard, with one limiter in memory. */
export interface PageServer {
  /** The URL of the page, without the slash at its end. */
  readonly url: string
  readonly limiter: Limiter<MemoryStore>
  /** The requests that have arrived: method, path with query, headers, body. */
  readonly requests: readonly PageRequest[]
  /** The next view. */
  view: View
  /** Answers requests in place of the interface. */
  answer: ((response: ServerResponse) => void) | undefined
}

export interface PageRequest {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export const authorization = 'authorization: Bearer t'

/** Starts the server. It stops after the test. */
export async function pageServer(): Promise<PageServer> {
  const limiter = createLimiter({ name: 'api', limit: 10, window: '1h' })
  const requests: PageRequest[] = []
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const page: PageServer = {
    url: `http://127.0.0.1:${port}/limits`,
    limiter,
    requests,
    view: viewOf({}),
    answer: undefined,
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request
    const sent = await text(request)
    const body: unknown = sent === '' ? undefined : JSON.parse(sent)
    requests.push({ line: `${method} ${url}`, headers, body })
    if (page.answer !== undefined) return page.answer(response)
    if (headers.authorization !== 'Bearer t' || headers['x-sluice'] !== '1') {
      return send(response, 403, failure('SLUICE_VIEW_FORBIDDEN', 'This request has no role.'))
    }
    const { pathname, searchParams } = new URL(url, 'http://page')
    const key = JSON.parse(searchParams.get('exact') ?? '""') as string
    switch (pathname) {
      case '/limits/api/view':
        return send(response, 200, page.view)
      case '/limits/api/key':
        return send(response, 200, keyView(key))
      case '/limits/api/search': {
        const isFirst = searchParams.get('cursor') === null
        const keys = (isFirst ? ['bob'] : ['ann', 'bob']).map(keyView)
        return send(response, 200, { keys, cursor: isFirst ? '7' : null, scanned: 100 })
      }
      case '/limits/api/act':
        return act(response, body as Readonly<Record<string, string>>)
      default:
        return send(response, 404, failure('SLUICE_VIEW_PATH_UNKNOWN', 'There is no such path.'))
    }
  }

  function act(response: ServerResponse, body: Readonly<Record<string, string>>): void {
    const key = countedKey(body['key'])
    const { used, blockedMs } = limiter.status(key).policies['default']
    if (body['act'] === 'block') limiter.block(key, body['length'])
    if (body['act'] === 'unblock') limiter.unblock(key)
    if (body['act'] === 'penalize') limiter.penalize(key, Number(body['units']))
    if (body['act'] === 'reset' && !limiter.reset(key)) {
      send(response, 400, failure('SLUICE_VIEW_KEY_BLOCKED', 'Unblock it first.'))
    } else {
      const wasCounted = used > 0 || blockedMs > 0
      send(response, 200, { ok: true, key: keyView(body['key']), wasCounted })
    }
  }

  function keyView(key: string): KeyView {
    const { policies, source } = limiter.status(countedKey(key))
    const each = Object.entries(policies).map(([name, counts]) =>
      Object.assign({ name, exemptMs: 0 }, counts),
    )
    return {
      limiter: 'api',
      key,
      source,
      isCounted: each.some(({ used, blockedMs }) => used + blockedMs > 0),
      policies: each,
    }
  }

  return page
}

/** Sends JSON. */
export function send(response: ServerResponse, status: number, body: unknown): void {
  const headers = { 'content-type': 'application/json', [versionHeader]: viewVersion }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

function failure(code: string, message: string): unknown {
  return { error: { code, message } }
}

/** The time of the views: 4 s after the beginning of the last step. */
export const at = Date.UTC(2026, 10, 20, 9, 0, 4)

const stepMs = 10_000
const steps = 360
const startsAt = at - 4000 - (steps - 1) * stepMs

/** A view of two processes with one limiter: 40 requests in the last step that both have written, of which 10 were denied. */
export function viewOf(changes: Partial<View>): View {
  const recent = (...last: number[]): number[] =>
    Array.from({ length: steps }, (_, i) => last[i - steps + last.length] ?? 0)
  return {
    at,
    role: 'write',
    processes: 2,
    share: { state: 'ok', notMerged: 0 },
    stores: [],
    limiters: [
      {
        name: 'api',
        canAct: true,
        policies: [],
        series: {
          startsAt,
          stepMs,
          allowed: recent(978, 30, 12, 8),
          denied: recent(0, 10, 2, 4),
          exempt: recent(14, 0, 0, 0),
          wouldDeny: recent(),
        },
        top: {
          requests: topOf(
            { key: 'ann', count: 1200, error: 0 },
            { key: 'bob', count: 90, error: 40 },
          ),
          denials: topOf(),
        },
        denied: [
          {
            key: 'ann',
            policies: ['minute', 'hour'],
            untilAt: at + 42_000,
            denials: 15,
            isBlocked: false,
            ...seen,
          },
          {
            key: 'x\u001b[31m\u202ey',
            policies: ['hour'],
            untilAt: null,
            denials: 1200,
            isBlocked: true,
            ...seen,
          },
        ],
        deniedTotal: 2,
      },
    ],
    ...changes,
  }
}

const seen = { firstDeniedAt: at, lastDeniedAt: at, source: 'store' } as const

export function topOf(...keys: readonly TopKey[]): TopKeys {
  return { keys, total: keys.length, unlisted: 0, sinceAt: startsAt }
}
