import { createHash } from 'node:crypto'
import { sluiceError } from '../../errors.js'
import { codedParts } from './coded-parts.js'
import type { RequestView } from '../request/request-view.js'

/**
 * The value of a header as a key, such as an API key. It is hashed (SHA-256) first: it is usually a secret, and neither the
 * store nor a log should hold it.
 *
 * @example
 * rateLimit({ limit: 1000, window: '1h', key: byHeader('X-API-Key') })
 * @throws SluiceError per request SLUICE_HEADER_MISSING (status 400) where there is no such header
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
    return codedParts('header', header, createHash('sha256').update(text).digest('base64url'))
  }
}
