import { isFunction, isRecord, isText } from '../../options/predicates.js'
import { checked, positiveCount, readOptions, type OptionReader } from '../../options/readers.js'
import type { RequestView } from './view.js'

/**
 * The place of a client's address, if it is not that of the connection. No header is read unless this option names it.
 *
 * - `{ proxies: n }`: n proxies are in front of the server, and each adds an address to `X-Forwarded-For`. The address is the n-th entry from the right;
 *   if there are fewer, the leftmost one.
 * - `{ header: 'CF-Connecting-IP' }`: a header that the platform in front of the server always overwrites.
 * - a function that returns the address.
 */
export type AddressOption<R> =
  | { readonly proxies: number }
  | { readonly header: string }
  | ((request: R) => string | undefined)

/** The parts of a request that hold its address. */
export interface AddressSource {
  /** The remote address of the connection, as far as it is known. */
  readonly peer: string | undefined
  /** The headers by their names in lower case. */
  readonly headers: RequestView<unknown>['headers']
}

/** Reads the option `address`. */
export const addressOption: OptionReader<unknown> = {
  expected: `{ proxies: 1 } with the number of proxies in front of the server, { header: 'CF-Connecting-IP' } with a header that the platform always overwrites, or a function`,
  read: (value) => (isFunction(value) || isPlace(value) ? value : undefined),
  default: undefined,
  advice(value) {
    if (typeof value === 'number') return `Pass { proxies: ${value} }`
    return isText(value) ? 'A header is named by { header }' : undefined
  },
}

/** Makes the function that finds the address of a request by the option `address`. */
export function addressReader<R>(
  option: AddressOption<R> | undefined,
): (request: R, source: AddressSource) => string | undefined {
  if (option === undefined) return (_request, { peer }) => peer
  if (typeof option === 'function') return (request) => option(request)
  if ('header' in option) {
    const name = option.header.toLowerCase()
    return (_request, { headers }) => textOf(headers[name])
  }
  const { proxies } = option
  return (_request, source) => forwardedFor(source, proxies)
}

/** The address that the outermost of the proxies saw. The client itself can write the entries to the left. */
function forwardedFor({ peer, headers }: AddressSource, proxies: number): string | undefined {
  const list = textOf(headers['x-forwarded-for'])
  const entries = list === undefined ? [] : list.split(',').map((entry) => entry.trim())
  return entries.length === 0 ? peer : entries.at(-Math.min(proxies, entries.length))
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}

function isPlace(value: unknown): boolean {
  if (!isRecord(value)) return false
  const readers = 'header' in value ? { header: headerName } : { proxies: positiveCount }
  return readOptions('address', value, readers) !== undefined
}

const headerName: OptionReader<string> = checked('the name of a header', isText)
