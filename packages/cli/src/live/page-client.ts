import type { ActView, KeyView, SearchView, View } from '@sluice/dashboard'
import { versionHeader, viewVersion } from '@sluice/dashboard/internal'
import { shownUrl } from '../reading/redis.js'

export interface PageOptions {
  /** The URL at which the dashboard is mounted. */
  readonly url: string
  /** More headers of each request, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

interface Answers {
  readonly view: View
  readonly key: KeyView
  readonly search: SearchView
  readonly act: ActView
}

/** The HTTP interface of a mounted dashboard. JSON has null in place of Infinity. */
export interface PageClient {
  view(rows: number): Promise<View>
  key(limiter: string, text: string): Promise<KeyView>
  search(limiter: string, cursor: string): Promise<SearchView>
  act(body: object): Promise<ActView>
  /** The URL without secrets. */
  readonly shown: string
}

/** A refusal by the dashboard, with the code of its reason. */
export class PageError extends Error {
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

const timeoutMs = 10_000

/** Sends requests to a mounted dashboard. Each failure is an error with one sentence. */
export function pageClient({ url, headers }: PageOptions): PageClient {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Error(
      `--url: ${shownUrl(url)} is not the URL of a dashboard, such as https://shop.example/limits`,
    )
  }
  const base = new URL(url)
  const { username, password } = base
  // fetch refuses a URL with a password.
  const basic = username === '' && password === '' ? {} : { authorization: basicOf(base) }
  base.username = base.password = base.search = base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  const shown = base.href
  const own = { accept: 'application/json', 'x-sluice': '1', ...basic, ...headers }

  async function send<P extends keyof Answers>(
    path: P,
    query: Readonly<Record<string, string>>,
    sent?: object,
  ): Promise<Answers[P]> {
    const target = new URL(`api/${path}`, base)
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
    const post = { method: 'POST', body: JSON.stringify(sent) }
    let response: Response
    let value: unknown
    try {
      response = await fetch(target, {
        headers: sent === undefined ? own : { ...own, 'content-type': 'application/json' },
        // A redirect usually leads to a page for people, such as a login.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(sent === undefined ? {} : post),
      })
      const body = await response.text()
      const isOwn = response.headers.get(versionHeader) === viewVersion
      value = isOwn ? JSON.parse(body) : undefined
    } catch (error) {
      throw new Error(`no answer from ${shown}: ${reasonOf(error)}`, { cause: error })
    }
    if (response.ok && isAnswer(path, value)) return value
    throw refusal(shown, response, value)
  }

  return {
    shown,
    view: async (rows) => send('view', { rows: `${rows}` }),
    key: async (limiter, text) => send('key', { limiter, exact: JSON.stringify(text) }),
    search: async (limiter, cursor) =>
      send('search', cursor === '' ? { limiter } : { limiter, cursor }),
    act: async (body) => send('act', {}, body),
  }
}

/** The version of the interface is that of its types, so that no part of an answer needs a check of its own. */
function isAnswer<P extends keyof Answers>(_path: P, value: unknown): value is Answers[P] {
  return value !== undefined
}

function isRefusal(value: unknown): value is Refusal {
  return value !== undefined
}

function basicOf({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** The error of fetch says only that it failed, and has the reason as its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`
  const { cause, message } = error
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

function refusal(shown: string, { status, ok, headers }: Response, value: unknown): PageError {
  if (isRefusal(value)) {
    const { code, message } = value.error
    return new PageError(`${shown} answers ${status}: ${message} (${code})`, code)
  }
  if (ok) return new PageError(`${shown} is not the URL of a Sluice dashboard of this version`)
  const location = headers.get('location')
  const redirect = location === null ? '' : ` with a redirect to ${location}`
  const needsLogin = location !== null || status === 401 || status === 403
  const advice = needsLogin
    ? `. If the page needs a login, send it with --header 'authorization: …'`
    : ': is it the URL of a Sluice dashboard?'
  return new PageError(`${shown} answers ${status}${redirect}${advice}`)
}
