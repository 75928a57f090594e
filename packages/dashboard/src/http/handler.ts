import type { IncomingMessage, ServerResponse } from 'node:http'
import { SluiceError } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import type { Visitor } from '../act-event.js'
import { mostRows } from '../data/present.js'
import { messagesFor } from '../data/shown.js'
import { Refusal, refusal } from '../refusal.js'
import type { Role } from '../view.js'
import { visitorOf, type Authorization } from './authorize.js'
import { readBody } from './body.js'
import { indexName, readFiles, type PageFile } from './files.js'
import { assertOwnAct, assertOwnRead } from './origin.js'
import { json, refused, send, type Answer } from './respond.js'
import { routeOf, type ApiName } from './route.js'
import { createWarner } from './warner.js'

/** The functions behind the addresses. */
export interface Api {
  view(visitor: Visitor, rows: number): Promise<unknown>
  key(limiter: string, text: string, isExact: boolean, visitor: Visitor): Promise<unknown>
  search(limiter: string, cursor: string | undefined, visitor: Visitor): Promise<unknown>
  act(body: Readonly<Record<string, unknown>>, visitor: Visitor): Promise<object>
}

/** Handles the requests of the page, at any mount. It never throws. */
export function createHandler<R extends IncomingMessage>(
  api: Api,
  authorize: (request: R) => Awaitable<Authorization>,
  folder: string,
): (request: R, response: ServerResponse) => void {
  const warn = createWarner()
  let reading: Promise<ReadonlyMap<string, PageFile>> | undefined

  /** Reads the files once. If that fails, the data are still there, and the next request reads them again. */
  async function filesOfPage(): Promise<ReadonlyMap<string, PageFile>> {
    reading ??= readFiles(folder)
    try {
      return await reading
    } catch (error) {
      reading = undefined
      warn(error)
      return new Map()
    }
  }

  async function answer(request: R, visitor: Visitor): Promise<Answer> {
    const files = await filesOfPage()
    const route = routeOf(request, files.keys())
    if (route.type === 'unknown') throw refusal('SLUICE_VIEW_PATH_UNKNOWN')
    if (route.type === 'api') return answerApi(request, route.name, route.query, visitor)
    assertMethod(request, 'GET', 'HEAD')
    if (route.type === 'slash') {
      return { status: 302, headers: { location: route.location } }
    }
    const file = files.get(route.type === 'page' ? indexName : route.name)
    if (file === undefined) throw refusal('SLUICE_VIEW_PAGE_MISSING')
    return fileAnswer(file, request.headers['if-none-match'])
  }

  async function answerApi(
    request: R,
    name: ApiName,
    query: URLSearchParams,
    visitor: Visitor,
  ): Promise<Answer> {
    if (name === 'act') {
      assertMethod(request, 'POST')
      assertOwnAct(request.headers)
      if (visitor.role !== 'write') throw refusal('SLUICE_VIEW_READ_ONLY')
      return json({ ok: true, ...(await api.act(await readBody(request), visitor)) })
    }
    assertMethod(request, 'GET', 'HEAD')
    assertOwnRead(request.headers)
    if (name === 'view') return json(await api.view(visitor, rowsOf(query.get('rows'))))
    const limiter = query.get('limiter') ?? needed('"limiter"')
    if (name === 'search') {
      return json(await api.search(limiter, query.get('cursor') ?? undefined, visitor))
    }
    const exact = query.get('exact')
    const text = exact === null ? query.get('key') : jsonText(exact)
    if (!text) return needed('"key", or "exact" with a text as JSON')
    return json(await api.key(limiter, text, exact !== null, visitor))
  }

  async function respond(request: R, response: ServerResponse): Promise<void> {
    let role: Role = 'read'
    try {
      const visitor = await visitorOf(authorize, request, warn)
      role = visitor.role
      send(response, request.method === 'HEAD', await answer(request, visitor))
    } catch (error) {
      sendFailure(request, response, asRefusal(error, role), error, warn)
    }
  }

  return function dashboardHandler(request, response) {
    void respond(request, response)
  }
}

function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  known: Refusal | undefined,
  error: unknown,
  warn: (error: unknown) => void,
): void {
  try {
    if (known === undefined) warn(error)
    const { status, headers, body } = refused(known ?? refusal('SLUICE_VIEW_FAILED'))
    const more: Record<string, string> = { ...known?.headers }
    // The rest of a large body is not read.
    if (status === 413 && request.httpVersionMajor === 1) more['connection'] = 'close'
    send(response, request.method === 'HEAD', {
      status,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body }),
    })
  } catch (failure) {
    // The application has changed the response meanwhile, or the client is gone.
    warn(failure)
  }
}

/** The errors of a wrong request, and of a store, are answers. */
function asRefusal(error: unknown, role: Role): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof SluiceError)) return undefined
  const { code, message } = error
  if (code.startsWith('SLUICE_STORE_')) {
    return new Refusal(code, 503, messagesFor(role)(code, message))
  }
  return new Refusal(code, 400, message)
}

function fileAnswer({ type, etag, content }: PageFile, known: string | undefined): Answer {
  // It may be kept, and has to be asked for again.
  const headers = { 'content-type': type, etag, 'cache-control': 'private, no-cache' }
  const isKnown = known?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true
  return isKnown ? { status: 304, headers } : { status: 200, headers, body: content }
}

function assertMethod({ method = 'GET' }: IncomingMessage, ...methods: readonly string[]): void {
  if (methods.includes(method)) return
  const allow = methods.join(', ')
  throw refusal('SLUICE_VIEW_METHOD_WRONG', allow, { allow })
}

/** The most rows of each list of a view: those that the page shows before the user asks for more. */
function rowsOf(text: string | null): number {
  if (text === null) return 20
  const rows = Number(text)
  return /^\d{1,3}$/.test(text) && rows <= mostRows ? rows : needed(`"rows" from 0 to ${mostRows}`)
}

/** A key as JSON, in which a text that has no UTF-8 form can be sent. */
function jsonText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function needed(what: string): never {
  throw refusal('SLUICE_VIEW_REQUEST_INVALID', what)
}
