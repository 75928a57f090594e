/** @import { Act, ActView, Found, KeyView, View } from './view.js' */

/** An answer other than data. Status 0: no answer. */
export class RequestError extends Error {
  /**
   * @param {string} message
   * @param {{ code?: string, status?: number }} [about]
   */
  constructor(message, { code = '', status = 0 } = {}) {
    super(message)
    this.name = 'RequestError'
    this.code = code
    this.status = status
  }
}

/**
 * @param {number} rows the most rows of each list of keys
 * @returns {Promise<View>}
 */
export function loadView(rows) {
  return request(`api/view?rows=${rows}`)
}

/**
 * A key of a list, or one that the reader means by a text. In an address, a key of a list is JSON, because a lone surrogate has no other form there.
 * @param {{ limiter: string, key: string, isTyped?: boolean }} named
 * @returns {Promise<KeyView>}
 */
export function loadKey({ limiter, key, isTyped = false }) {
  const named = isTyped ? { key } : { exact: JSON.stringify(key) }
  return request(`api/key?${new URLSearchParams({ limiter, ...named })}`)
}

/**
 * @param {string} limiter
 * @param {string | null} cursor
 * @returns {Promise<Found>}
 */
export function searchRedis(limiter, cursor) {
  const query = new URLSearchParams(cursor === null ? { limiter } : { limiter, cursor })
  return request(`api/search?${query}`)
}

/**
 * @param {Act} act
 * @returns {Promise<ActView>}
 */
export function sendAct(act) {
  return request('api/act', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sluice': '1' },
    body: JSON.stringify(act),
  })
}

// A relative address would have the credentials of the page's own address, and fetch refuses them.
const base = `${location.origin}${location.pathname}`

/**
 * @template T
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<T>}
 */
async function request(url, options) {
  const response = await fetch(new URL(url, base), {
    signal: AbortSignal.timeout(10_000),
    ...options,
  }).catch(() => {
    throw new RequestError('The server does not answer.')
  })
  const { status } = response
  /** @type {unknown} */
  const body = await response.json().catch(() => undefined)
  if (response.ok && body !== undefined) return /** @type {T} */ (body)
  const { code = '', message = explained(status) } = errorIn(body)
  throw new RequestError(message, { code, status })
}

/** @param {unknown} body @returns {{ code?: string, message?: string }} */
function errorIn(body) {
  const { error } = /** @type {{ error?: unknown }} */ (body ?? {})
  return typeof error === 'object' && error !== null ? error : {}
}

/** @param {number} status */
function explained(status) {
  if (status < 300) return 'The server sent a page instead of data. Reload to sign in again.'
  if (status === 401 || status === 403) return 'You may not see this page, or no longer.'
  return `The server answered with status ${status}.`
}
