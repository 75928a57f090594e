import { sluiceError } from '../../errors.js'
import { checkedIfGiven, readOptions, type OptionReader } from '../../options/readers.js'
import { isFunction, isRecord } from '../../options/predicates.js'
import { fromCommands, type RedisClient } from './client.js'

/** The arguments with which `restClient` calls `fetch`. */
export interface RestRequest {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
  readonly redirect: 'manual'
  readonly cache?: 'no-store'
  readonly signal?: AbortSignal
}

/** The part of `fetch` that `restClient` uses. */
export type RestFetch = (url: string, init: RestRequest) => Promise<RestResponse>

/** The part of a response that `restClient` reads. */
export interface RestResponse {
  readonly status: number
  text(): Promise<string>
}

/** Options of `restClient`. */
export interface RestClientOptions {
  /** The address of the REST service of the database: `https://…`. */
  readonly url: string
  /** The token of that service. It must be allowed to run scripts, so a read-only token is not enough. */
  readonly token: string
  /**
   * Sends each call.
   *
   * @default the global `fetch`
   */
  readonly fetch?: RestFetch | undefined
}

/**
 * A Redis client over HTTP, for platforms without TCP such as Cloudflare Workers: by the REST protocol of Upstash, which `serverless-redis-http` speaks in front
 * of any Redis. Each decision is a call of its own, which is sent once and never again, and is aborted when the timeout of the store is over.
 *
 * @example
 * import { redisStore, restClient } from '@sluice/core'
 *
 * const store = redisStore(restClient({ url: 'https://example.upstash.io', token: '…' }))
 * @throws SluiceError if the address or the token cannot be right, or an option is unknown
 */
export function restClient(options: RestClientOptions): RedisClient {
  const { url, token } = readOptions('restClient', options, readers)
  const address = addressOf(url)
  if (!isToken(token)) throw sluiceError('SLUICE_REST_INVALID', 'token', token)
  const send = options.fetch ?? ((to, init) => fetch(to, init))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  // Next.js would keep the replies. Older versions of Cloudflare Workers refuse the option, and keep none.
  const caching = 'cache' in Request.prototype ? { cache: 'no-store' as const } : {}

  async function call(command: string, args: string[], signal?: AbortSignal): Promise<unknown> {
    const response = await send(address, {
      method: 'POST',
      headers,
      body: JSON.stringify([command, ...args]),
      // A redirect would send the call, and the token, again.
      redirect: 'manual',
      ...caching,
      ...(signal && { signal }),
    })
    return resultOf(response.status, await response.text())
  }

  return { ...fromCommands(call, false), isRequestBound: true }
}

/** Values of any type, because an error must not show a password. */
const anyValue = (expected: string): OptionReader<unknown> => ({ expected, read: (value) => value })

const readers = {
  url: anyValue('the https address of the REST service'),
  token: anyValue('the token of the REST service'),
  fetch: checkedIfGiven('a function such as the global fetch', isFunction),
}

function addressOf(value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  const isRest = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!isRest || url.username !== '' || url.password !== '') {
    throw sluiceError('SLUICE_REST_INVALID', 'url', value)
  }
  return url.href
}

/** A text that is valid in a header. Otherwise `fetch` would throw an error that contains the token. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

function resultOf(status: number, text: string): unknown {
  const body = parsed(text)
  if (status !== 401 && isRecord(body)) {
    if (typeof body['error'] === 'string') throw new Error(body['error'])
    if (status === 200 && 'result' in body) return body['result']
  }
  throw new Error(`the REST service answered HTTP ${status}${adviceFor(status)}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function adviceFor(status: number): string {
  if (status === 401)
    return ': check that the "token" of restClient is that of the database at its "url"'
  if (status >= 429) return ''
  return ' without a reply of Redis: check that the "url" of restClient is the address of the REST service'
}
