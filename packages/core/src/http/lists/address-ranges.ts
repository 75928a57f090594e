import ipaddr from 'ipaddr.js'
import { ipv4Offset, ipv4Within, type Address } from './address.js'

/** The first address of a range and the last, each by its place among all addresses. */
export interface Range {
  readonly first: string
  readonly last: string
}

/** Ranges of addresses, to be searched by halving: ten thousand of them take fourteen steps. */
export class AddressRanges {
  readonly #ranges: readonly Range[]

  constructor(ranges: readonly Range[]) {
    const apart: Range[] = []
    for (const range of [...ranges].sort(order)) {
      // Of two ranges, one holds the other or they have nothing in common. What lies within another need not be searched.
      const before = apart.at(-1)
      if (before === undefined || range.first > before.last) apart.push(range)
    }
    this.#ranges = apart
  }

  has(address: Address): boolean {
    const place = placeOf(address)
    let from = 0
    let to = this.#ranges.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#ranges[middle].first <= place) from = middle + 1
      else to = middle
    }
    return from > 0 && place <= this.#ranges[from - 1].last
  }
}

/** The range of one address. */
export function rangeOfOne(address: Address): Range {
  return { first: placeOf(address), last: placeOf(address) }
}

/** The range that an address and a number of leading bits stand for, such as 10.0.0.0/8. Undefined where they stand for none. */
export function rangeOf(text: string): Range | undefined {
  if (!ipaddr.isValidCIDR(text)) return undefined
  const [base, bits] = ipaddr.parseCIDR(text)
  const ipv4 = base instanceof ipaddr.IPv6 ? ipv4Within(base) : undefined
  const address = ipv4 ?? base
  const range = `${address.toString()}/${ipv4 === undefined ? bits : bits - ipv4Offset}`
  const version = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  return {
    first: placeOf(version.networkAddressFromCIDR(range)),
    last: placeOf(version.broadcastAddressFromCIDR(range)),
  }
}

/**
 * What to write in the place of a range such as ::ffff:10.0.0.0/8, whose 8 bits are those of IPv6: no client by IPv4 would be in it. Undefined where
 * a range means what it says. 64:ff9b::/96 is such a range, too: clients behind NAT64 are judged by their IPv4 addresses.
 */
export function ipv4RangeFor(text: string): string | undefined {
  if (!ipaddr.isValidCIDR(text)) return undefined
  const [base, bits] = ipaddr.parseCIDR(text)
  if (base instanceof ipaddr.IPv4) return undefined
  const ipv4 = ipv4Within(base)
  const fewest = base.isIPv4MappedAddress() ? ipv4Offset : ipv4Offset + 1
  if (ipv4 === undefined || bits >= fewest) return undefined
  const isMeant = bits <= 32 && ipv4.toString() !== '0.0.0.0'
  return isMeant ? `"${ipv4.toString()}/${bits}"` : 'a range of IPv4, such as "10.0.0.0/8"'
}

/** Strings are compared unit by unit, and so are addresses byte by byte: those of IPv4 among themselves, and before all others. */
function placeOf(address: Address): string {
  const bytes = address.toByteArray()
  return String.fromCharCode(bytes.length, ...bytes)
}

/** By their beginnings; of those that begin together, the widest first. */
function order(a: Range, b: Range): number {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.last === b.last ? 0 : a.last > b.last ? -1 : 1
}
