import { isFunction, isRecord } from '../../options/predicates.js'
import { checked, positiveCount, readOptions, type OptionReader } from '../../options/readers.js'

/**
 * The source of a client's address, if it is not the connection. No header is read unless this option names it. `P` is the knowledge of the server about the
 * request, beside the request itself.
 *
 * - `{ proxies: n }`: n proxies are in front of the server, and each adds an address to `X-Forwarded-For`. The address is the n-th entry from the right;
 *   if there are fewer, the leftmost one. A request without this header comes from the connection itself.
 * - `{ header: 'CF-Connecting-IP' }`: a header that the platform in front of the server always overwrites.
 * - a function that returns the address.
 */
export type AddressOption<R, P = unknown> =
  | { readonly proxies: number; readonly header?: undefined }
  | { readonly header: string; readonly proxies?: undefined }
  | ((request: R, platform: P) => string | null | undefined)

/** How an adapter reads the parts of a request that can hold its address. */
export interface AddressLookups<R, P> {
  /** The remote address of the connection, as far as it is known. */
  peer(request: R, platform: P): string | undefined
  /** The value of a header. The name is in lower case. */
  header(request: R, platform: P, name: string): string | readonly string[] | null | undefined
  /** The advice for a request without an address, if the option is absent. */
  advice(): string
}

/** How to find the addresses of requests. */
export interface Addresses<R, P> {
  of(request: R, platform: P): string | undefined
  /** The advice for a request without an address. */
  advice(): string
}

/** Reads the option `address`. */
export const addressOption: OptionReader<unknown> = {
  expected: `{ proxies: 1 } with the number of proxies in front of the server, { header: 'CF-Connecting-IP' } with a header that the platform always overwrites, or a function`,
  read: (value) => (isFunction(value) || isSource(value) ? value : undefined),
  default: undefined,
  advice(value) {
    if (typeof value === 'number') return `Pass { proxies: ${value} }`
    return typeof value === 'string' ? 'A header is named by { header }' : undefined
  },
}

/** Makes the function that finds the address of a request by the option `address`. */
export function addressesOf<R, P>(
  option: AddressOption<R, P> | undefined,
  lookups: AddressLookups<R, P>,
): Addresses<R, P> {
  if (option === undefined) {
    return { of: (request, platform) => lookups.peer(request, platform), advice: lookups.advice }
  }
  if (typeof option === 'function') {
    return {
      of: (request, platform) => option(request, platform) ?? undefined,
      advice: () => 'The function "address" has to return the address of every request',
    }
  }
  const { header, proxies } = option
  const name = header?.toLowerCase() ?? 'x-forwarded-for'
  return {
    of(request, platform) {
      const text = textOf(lookups.header(request, platform, name))
      if (header !== undefined) return text?.trim()
      return text === undefined ? lookups.peer(request, platform) : outermost(text, proxies)
    },
    advice: () =>
      header === undefined
        ? `As "address" says, it is in X-Forwarded-For, which the proxies in front have to write. Their number is ${proxies}`
        : `As "address" says, it is in the header "${header}", which the platform in front has to set for every request`,
  }
}

/** The entry of the outermost of the proxies. The client itself can write the entries to the left. */
function outermost(list: string, proxies: number): string | undefined {
  const entries = list.split(',')
  return entries.at(-Math.min(proxies, entries.length))?.trim()
}

/** A header that a request has several times is a list, which is not an address. */
function textOf(value: string | readonly string[] | null | undefined): string | undefined {
  return typeof value === 'object' ? value?.join(',') : value
}

function isSource(value: unknown): boolean {
  if (!isRecord(value)) return false
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
  const readers = 'header' in given ? { header: headerName } : { proxies: positiveCount }
  return readOptions('address', given, readers) !== undefined
}

/** RFC 9110, section 5.6.2. */
const headerName: OptionReader<string> = checked(
  'the name of a header',
  (value): value is string => typeof value === 'string' && /^[!#$%&'*+\-.^`|~\w]+$/.test(value),
)
