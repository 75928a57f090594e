import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from '../refusal.js'

/**
 * Refuses a request that a page of another origin may have made. A browser says where a request comes from; if it says neither, it is no browser, or one that sends
 * no such request with the header `x-sluice` to another origin without asking first.
 *
 * @throws Refusal SLUICE_VIEW_FOREIGN, SLUICE_VIEW_HEADER_MISSING, SLUICE_VIEW_BODY_INVALID
 */
export function assertOwnAct(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw refusal('SLUICE_VIEW_FOREIGN')
  if (site === undefined && !isOwnOrigin(headers)) throw refusal('SLUICE_VIEW_FOREIGN')
  if (headers['x-sluice'] !== '1') throw refusal('SLUICE_VIEW_HEADER_MISSING')
  const [type] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw refusal('SLUICE_VIEW_BODY_INVALID', 'needs the content type application/json')
  }
}

/**
 * Refuses a request for data that a page of another origin has made. It could not read the answer, and a search would still cost Redis time.
 *
 * @throws Refusal SLUICE_VIEW_FOREIGN
 */
export function assertOwnRead(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') throw refusal('SLUICE_VIEW_FOREIGN')
}

/** Whether the origin of a request is that of its host. A request without an origin is not that of a page. */
function isOwnOrigin({ origin, host, ':authority': authority }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return new URL(origin).host === (host ?? authority)
}
