import { isKey, type Keys } from '../../limiter/arguments.js'
import { requestError } from '../../errors/request-error.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { joinKey, type Key } from '../../keys.js'
import { isList } from '../../options/predicates.js'
import { AddressRanges, addressSortKey, rangeOfEntry } from './address-ranges.js'
import { addressOf } from './address.js'

/** A list of addresses, CIDR ranges and keys. It can be changed while limiters use it. */
export interface AccessList {
  /**
   * Replaces all entries, for every limiter that uses the list.
   *
   * @throws SluiceError if an entry is wrong; the list is then unchanged
   */
  replace(entries: readonly Key[]): void
}

/**
 * Creates a list for `allow` or `deny` whose entries can be replaced at run time. A string that is an address or a range matches the client's address
 * only, so that a client with the name `10.0.0.1` does not match. To list such a key, write `['10.0.0.1']`.
 *
 * @example
 * const blocked = accessList(['203.0.113.0/24', '2001:db8::/32'])
 * app.use(rateLimit({ limit: 100, window: '1m', deny: blocked }))
 * blocked.replace(await readBlocklist())
 * @throws SluiceError if an entry is not an address, a range or a key
 */
export function accessList(entries: readonly Key[]): AccessList {
  return new Entries(entries)
}

/** Reads the option `allow` or `deny`: the application's own list, or a new one with the entries of the option. */
export function readList(value: readonly Key[] | AccessList | undefined): Entries | undefined {
  return value === undefined || value instanceof Entries ? value : new Entries(value)
}

/** Whether a value is a list for `allow` or `deny`. */
export function isAccessList(value: unknown): boolean {
  return isList(value) || value instanceof Entries
}

interface Addressed {
  readonly address: string | undefined
  readonly addressAdvice?: string
}

export class Entries implements AccessList {
  #addresses: AddressRanges | undefined
  #keys: ReadonlySet<string> = new Set()

  constructor(entries: unknown) {
    this.replace(entries)
  }

  replace(entries: unknown): void {
    const ranges = []
    const keys = new Set<string>()
    // A string is iterable: each character would be an entry.
    if (!isList(entries)) throw invalid(entries, 'a list of addresses, ranges and keys')
    for (const entry of entries) {
      const key = joinKey(entry)
      if (key === undefined) throw invalid(entry, someEntry)
      const text = typeof entry === 'string' ? entry : undefined
      const range = text === undefined ? undefined : rangeOfEntry(text)
      if (typeof range === 'string') throw invalid(entry, range)
      if (range !== undefined) ranges.push(range)
      else if (text !== undefined && isMistypedAddress(text)) throw invalid(entry, someEntry)
      else keys.add(key)
    }
    this.#addresses = ranges.length === 0 ? undefined : new AddressRanges(ranges)
    this.#keys = keys
  }

  /** Undefined if the list contains addresses and the text is not one. */
  hasAddress(text: string | undefined): boolean | undefined {
    if (this.#addresses === undefined) return false
    const key = text === undefined ? undefined : addressSortKey(text)
    return key === undefined ? undefined : this.#addresses.hasKey(key)
  }

  /** @throws SluiceError SLUICE_ADDRESS_MISSING if the list contains addresses and the request has none */
  hasAddressOf(view: Addressed, option: 'allow' | 'deny'): boolean {
    const { address } = view
    const isFound = this.hasAddress(address)
    if (isFound !== undefined) return isFound
    throw requestError('SLUICE_ADDRESS_MISSING', address, view.addressAdvice, option)
  }

  get hasKeys(): boolean {
    return this.#keys.size > 0
  }

  /** Whether the list contains one of the keys of a request. */
  hasKey(keys: Keys): boolean {
    const joined = (isKey(keys) ? [keys] : Object.values(keys)).map(joinKey)
    return joined.some((key) => key !== undefined && this.#keys.has(key))
  }
}

/** An entry that looks like an address is refused: as a key it would match no request, and no error would show the mistake. */
function isMistypedAddress(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === text ? almostAddress.test(text) : addressOf(trimmed) !== undefined
}

/** Digits with dots or a slash: 10.0.0, 10/8, 10.0.0.*, 10.0.0.1-10.0.0.9. Or hexadecimal with a colon and bits: 2001:db8/32. */
const almostAddress = /^(?:(?=\d+[./])[\d.*]+(?:[/-][\d.*]*)?|[\da-f.:]*:[\da-f.:]*\/\d+)$/i

const someEntry = 'an address, a range such as "10.0.0.0/8", or a key'

function invalid(value: unknown, expected: string): SluiceError {
  return sluiceError('SLUICE_OPTION_INVALID', 'accessList', 'entries', value, expected)
}
