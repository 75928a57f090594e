import { base64urlOf, sha256BytesOf } from '../../digests.js'
import { sluiceError } from '../../errors.js'
import { codedParts } from './coded-parts.js'
import type { RequestView } from '../request/request-view.js'

/**
 * Uses the value of a header as the key, such as an API key. The value is hashed (SHA-256), because it is usually a secret that neither the store nor a
 * log should contain.
 *
 * @example
 * rateLimit({ limit: 1000, window: '1h', key: byHeader('X-API-Key') })
 * @throws SluiceError SLUICE_HEADER_MISSING (status 400) if the request has no such header
 */
export function byHeader(
  name: string,
): (request: unknown, view: RequestView<unknown>) => readonly string[] {
  if (typeof name !== 'string' || name === '') {
    throw sluiceError('SLUICE_OPTION_INVALID', 'byHeader', 'name', name, 'the name of a header')
  }
  const header = name.toLowerCase()
  return function keyByHeader(_request, { headers }) {
    const value = headers[header]
    if (value === undefined || value.length === 0) throw sluiceError('SLUICE_HEADER_MISSING', name)
    const text = typeof value === 'string' ? value : value.join(', ')
    return codedParts('header', header, base64urlOf(sha256BytesOf(text)))
  }
}
