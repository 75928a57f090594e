import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Act, KeyView, TopKeys, View } from '../page/view.js'
import { scenarios, type ScenarioName } from './scenarios.js'

/** A request for an act, as the page sent it. */
export interface SentAct {
  readonly contentType: string | undefined
  readonly sluice: string | undefined
  readonly body: Act
}

/** Serves the page with scripted views, each below a folder with the name of its scenario, at any depth. */
export interface PageServer {
  readonly url: string
  readonly acts: SentAct[]
  readonly requests: string[]
  /** Changes what `api/view` sends: the status, or the view. */
  readonly answer: { status?: number; view?: (view: View) => View }
  /** Forgets all acts. */
  reset(): void
  close(): Promise<void>
}

export const policy: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** What acts have changed of a key. */
interface Changed {
  readonly blockedUntil: number
  readonly exemptUntil: number
  readonly used?: number
  readonly granted?: number | undefined
}

/** @param folder `bundle/page`, which the package contains, or `page`, its sources. */
export async function startPageServer(folder = 'bundle/page', port = 0): Promise<PageServer> {
  const files = fileURLToPath(new URL(`../${folder}/`, import.meta.url))
  const acts: SentAct[] = []
  const requests: string[] = []
  const answer: PageServer['answer'] = {}
  /** When the block and the exemption of a key end. */
  const changed = new Map<string, Changed>()

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) =>
      send(response, 500, { error: { code: 'E', message: String(error) } }),
    )
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const address = server.address() as AddressInfo

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page.invalid')
    const [, name = '', path = ''] =
      /\/([a-z]+)\/((?:api|vendor)\/.*|[\w.-]*)$/.exec(pathname) ?? []
    requests.push(
      `${request.method ?? ''} ${path}${searchParams.size > 0 ? `?${searchParams.toString()}` : ''}`,
    )
    response.setHeader('content-security-policy', policy)
    response.setHeader('cache-control', 'no-store')
    response.setHeader('x-content-type-options', 'nosniff')
    if (!isScenario(name)) return send(response, 404, 'not found')
    const view = scenarios[name](Date.now())
    if (path === 'api/view') return sendView(response, view, Number(searchParams.get('rows')))
    if (path === 'api/key') return sendKey(response, view, searchParams)
    if (path === 'api/search') return sendFound(response, view, searchParams)
    if (path === 'api/act') return act(request, response, view)
    sendFile(response, path === '' ? 'index.html' : path)
  }

  function sendView(response: ServerResponse, view: View, rows: number): void {
    if (answer.status !== undefined) return send(response, answer.status, {})
    const shown = answer.view === undefined ? view : answer.view(view)
    const now = Date.now()
    const limiters = shown.limiters.map(({ top: { requests, denials }, ...one }) => {
      const denied = one.denied.flatMap((row) => {
        const { blockedUntil = 0, exemptUntil = 0 } = changed.get(`${one.name} ${row.key}`) ?? {}
        if (exemptUntil > now) return []
        return blockedUntil > now ? [{ ...row, isBlocked: true, untilAt: blockedUntil }] : [row]
      })
      const first = (list: TopKeys) => ({ ...list, keys: list.keys.slice(0, rows) })
      return {
        ...one,
        top: { requests: first(requests), denials: first(denials) },
        denied: denied.slice(0, rows),
        deniedTotal: denied.length,
      }
    })
    send(response, 200, { ...shown, limiters })
  }

  function sendKey(response: ServerResponse, view: View, query: URLSearchParams): void {
    const found = keyOf(
      view,
      query.get('limiter'),
      query.get('key') ?? (JSON.parse(query.get('exact') ?? 'null') as string | null),
    )
    if (found === undefined)
      return send(response, 404, {
        error: { code: 'SLUICE_KEY_UNKNOWN', message: 'This page has not seen such a key.' },
      })
    send(response, 200, found)
  }

  function sendFound(response: ServerResponse, view: View, query: URLSearchParams): void {
    if (view.share.state !== 'ok')
      return send(response, 404, { error: { code: 'SLUICE_SEARCH_UNAVAILABLE' } })
    const part = Number(query.get('cursor') ?? 0)
    const name = query.get('limiter')
    const key = keyOf(view, name, `10.0.0.${part}`)
    const isBlocked = {
      name: 'minute',
      used: 100,
      limit: 100,
      remaining: 0,
      resetMs: 0,
      blockedMs: 3_540_000,
      exemptMs: 0,
    }
    send(response, 200, {
      keys: key === undefined ? [] : [{ ...key, policies: [isBlocked] }],
      cursor: part === 3 ? null : String(part + 1),
      scanned: 2000,
    })
  }

  async function act(
    request: IncomingMessage,
    response: ServerResponse,
    view: View,
  ): Promise<void> {
    const body = JSON.parse(await text(request)) as Act
    const { 'content-type': contentType, 'x-sluice': sluice } = request.headers
    acts.push({ contentType, sluice: sluice?.toString(), body })
    if (view.role !== 'write')
      return send(response, 403, { error: { code: 'SLUICE_FORBIDDEN', message: 'read only' } })
    if (body.length !== undefined && !/^\d+(?:\.\d+)? ?[a-z]+$/.test(body.length))
      return send(response, 400, {
        error: { code: 'SLUICE_OPTION_INVALID', message: `“${body.length}” is not a duration.` },
      })
    const id = `${body.limiter} ${body.key}`
    const until = Date.now() + msOf(body.length ?? '')
    const before: Changed = changed.get(id) ?? { blockedUntil: 0, exemptUntil: 0 }
    const after = {
      block: { ...before, blockedUntil: until },
      unblock: { ...before, blockedUntil: 0 },
      exempt: { ...before, exemptUntil: until },
      unexempt: { ...before, exemptUntil: 0 },
      grant: { ...before, granted: body.units ?? 0 },
      ungrant: { ...before, granted: undefined },
      reset: { ...before, used: 0 },
      penalize: { ...before, used: (before.used ?? 0) + (body.units ?? 0) },
    }
    changed.set(id, after[body.act])
    send(response, 200, {
      ok: true,
      key: keyOf(view, body.limiter, body.key),
      wasCounted: view.limiters.some(({ denied }) => denied.some((row) => row.key === body.key)),
    })
  }

  function keyOf(view: View, name: string | null, key: string | null): KeyView | undefined {
    const limiter = view.limiters.find((one) => one.name === name && one.canAct)
    if (limiter === undefined || key === null) return undefined
    const denied = limiter.denied.find((one) => one.key === key)
    const { blockedUntil, exemptUntil, used, granted }: Changed = changed.get(
      `${limiter.name} ${key}`,
    ) ?? { blockedUntil: 0, exemptUntil: 0 }
    const now = Date.now()
    return {
      limiter: limiter.name,
      key,
      source: 'store',
      isCounted: true,
      policies: limiter.policies.map((one) => {
        const limit = one.limit ?? 100
        const counted =
          used ?? (denied?.policies.includes(one.name) ? limit : Math.round(limit * 0.37))
        const remaining = Math.max(0, limit - counted)
        return {
          name: one.name,
          used: counted,
          limit,
          remaining,
          resetMs: counted === 0 ? 0 : 47_000,
          blockedMs: Math.max(0, blockedUntil - now),
          exemptMs: Math.max(0, exemptUntil - now),
          ...(granted !== undefined && { granted }),
        }
      }),
      ...(view.rules === undefined || limiter.name !== 'api'
        ? {}
        : {
            rules: view.rules.rules.slice(0, 2),
          }),
    }
  }

  function sendFile(response: ServerResponse, path: string): void {
    const file = join(files, path)
    const type = types[extname(file)]
    if (type === undefined || path.includes('..') || !existsSync(file))
      return send(response, 404, 'not found')
    response.setHeader('content-type', type)
    createReadStream(file).pipe(response)
  }

  return {
    url: `http://127.0.0.1:${address.port}/`,
    acts,
    requests,
    answer,
    reset() {
      acts.length = 0
      changed.clear()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function isScenario(name: string): name is ScenarioName {
  return name in scenarios
}

function msOf(length: string): number {
  const [, number = '0', unit = 's'] = /^(\d+) ?([smhd])/.exec(length) ?? []
  const units: Readonly<Record<string, number>> = {
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  }
  return Number(number) * units[unit]
}
