import { shownUrl } from '../reading/redis.js'
import { record, text, type Reader } from '../reading/json-shape.js'

export interface PageOptions {
  /** The URL at which the dashboard is mounted. */
  readonly url: string
  /** More headers of each request, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

/** The HTTP interface of a mounted dashboard. */
export interface PageClient {
  get<T>(path: string, query: Readonly<Record<string, string>>, read: Reader<T>): Promise<T>
  post<T>(path: string, body: object, read: Reader<T>): Promise<T>
  /** The URL without secrets. */
  readonly shown: string
}

/** A refusal by the dashboard, with the code of its reason. */
export class PageError extends Error {
  readonly code: string | undefined

  constructor(message: string, code: string | undefined) {
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

  async function send<T>(target: URL, init: RequestInit, read: Reader<T>): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs)
    // A redirect usually leads to a page for people, such as a login.
    const redirect = 'manual'
    let response: Response
    let body: string
    try {
      response = await fetch(target, { redirect, signal, ...init })
      body = await response.text()
    } catch (error) {
      throw new Error(`no answer from ${shown}: ${reasonOf(error)}`, { cause: error })
    }
    const value = jsonIn(body)
    if (!response.ok) throw refusal(shown, response, value)
    if (value === undefined) {
      throw new Error(`${shown} does not answer with JSON: is it the URL of a Sluice dashboard?`)
    }
    try {
      return read(value, '')
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error))
      const what = 'is it the URL of a Sluice dashboard of this version?'
      throw new Error(`${shown} answers in another form (${message}): ${what}`, { cause: error })
    }
  }

  return {
    shown,
    async get(path, query, read) {
      const target = new URL(path, base)
      for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
      return send(target, { headers: own }, read)
    },
    async post(path, body, read) {
      const headers = { ...own, 'content-type': 'application/json' }
      return send(
        new URL(path, base),
        { method: 'POST', headers, body: JSON.stringify(body) },
        read,
      )
    },
  }
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

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const errorBody = record<{ error: { code: string; message: string } }>({
  error: record<{ code: string; message: string }>({ code: text, message: text }),
})

function refusal(shown: string, { status, headers }: Response, value: unknown): PageError {
  const said = saidIn(value)
  if (said !== undefined) {
    const { code, message } = said
    return new PageError(`${shown} answers ${status}: ${message} (${code})`, code)
  }
  const location = headers.get('location')
  const redirect = location === null ? '' : ` with a redirect to ${location}`
  const needsLogin = location !== null || status === 401 || status === 403
  const advice = needsLogin
    ? `. If the page needs a login, send it with --header 'authorization: …'`
    : ': is it the URL of a Sluice dashboard?'
  return new PageError(`${shown} answers ${status}${redirect}${advice}`, undefined)
}

function saidIn(value: unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    return errorBody(value, '').error
  } catch {
    return undefined
  }
}
