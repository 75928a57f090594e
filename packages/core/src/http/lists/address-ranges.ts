import ipaddr from 'ipaddr.js'
import { addressOf, ipv4Offset, type Address } from './address.js'

/** The first and the last address of a range, as sort keys. */
export interface Range {
  readonly first: string
  readonly last: string
}

/** Ranges of addresses with a binary search: ten thousand ranges take fourteen steps. */
export class AddressRanges {
  readonly #ranges: readonly Range[]

  constructor(ranges: readonly Range[]) {
    const disjoint: Range[] = []
    for (const range of [...ranges].sort(rangeOrder)) {
      // Two CIDR ranges are nested or disjoint. A nested one is dropped.
      const before = disjoint.at(-1)
      if (before === undefined || range.first > before.last) disjoint.push(range)
    }
    this.#ranges = disjoint
  }

  /** The number of ranges. A range within another one is not counted. */
  get size(): number {
    return this.#ranges.length
  }

  /** Whether a range contains the address with this sort key, which one request can use for many lists. */
  hasKey(key: string): boolean {
    const before = lastUpTo(this.#ranges, key)
    return before !== undefined && key <= before.last
  }
}

/** Finds the last range that begins at the address or before it, in ranges that are sorted. */
export function lastUpTo<R extends Range>(ranges: readonly R[], key: string): R | undefined {
  let from = 0
  let to = ranges.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (ranges[middle].first <= key) from = middle + 1
    else to = middle
  }
  return from === 0 ? undefined : ranges[from - 1]
}

/** The sort key of a client's address: equal for all notations of one address. Undefined if the text is not an address. */
export function addressSortKey(text: string): string | undefined {
  const address = addressOf(text)
  return address === undefined ? undefined : sortKeyOf(address)
}

/** JavaScript compares strings by code units, so a string of the address's bytes sorts like the address. IPv4 sorts before IPv6. */
function sortKeyOf(address: Address): string {
  const bytes = address.toByteArray()
  return String.fromCharCode(bytes.length, ...bytes)
}

/** By the first address; of ranges with the same first address, the widest comes first. */
export function rangeOrder(a: Range, b: Range): number {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.last === b.last ? 0 : a.last > b.last ? -1 : 1
}

/**
 * Reads one entry of a list of addresses: an address, or a range such as 10.0.0.0/8. Undefined if the entry is neither; a text says what a wrong range
 * has to be instead.
 */
export function rangeOfEntry(entry: string): Range | string | undefined {
  const [text, bits] = entry.split('/')
  const address = addressOf(text)
  if (address === undefined) return undefined
  if (bits === undefined) return { first: sortKeyOf(address), last: sortKeyOf(address) }
  if (!ipaddr.isValidCIDR(entry)) return 'no more bits after the slash than the address has'
  const [base, length] = ipaddr.parseCIDR(entry)
  const isIpv4 = address instanceof ipaddr.IPv4
  const isWithin = isIpv4 && base instanceof ipaddr.IPv6
  // The 8 bits of ::ffff:10.0.0.0/8 count in IPv6, so that it would match no IPv4 client. The whole of 64:ff9b::/96 is wrong as well, because clients behind
  // NAT64 are compared by their IPv4 addresses.
  if (isWithin && length < (base.isIPv4MappedAddress() ? ipv4Offset : ipv4Offset + 1)) {
    const isMeant = length <= 32 && address.toString() !== '0.0.0.0'
    const meant = isMeant
      ? `"${address.toString()}/${length}"`
      : 'a range of IPv4, such as "10.0.0.0/8"'
    return `${meant}: IPv4 clients are compared with IPv4 ranges, and the bits after this slash count in IPv6`
  }
  const range = `${address.toString()}/${isWithin ? length - ipv4Offset : length}`
  const version = isIpv4 ? ipaddr.IPv4 : ipaddr.IPv6
  return {
    first: sortKeyOf(version.networkAddressFromCIDR(range)),
    last: sortKeyOf(version.broadcastAddressFromCIDR(range)),
  }
}
