import { addressOf } from './address.js'
import { ipv4RangeFor, rangeOf, rangeOfOne, type Range } from './address-ranges.js'

/**
 * Reads one entry of a list of addresses: an address, or a range such as 10.0.0.0/8. Undefined if the entry is neither; a text says what a wrong range
 * has to be instead.
 */
export function rangeOfEntry(entry: string): Range | string | undefined {
  const [text, bits] = entry.split('/')
  const address = addressOf(text)
  if (address === undefined) return undefined
  const ipv4 = ipv4RangeFor(entry)
  if (ipv4 !== undefined) return `${ipv4}: ${ownBits}`
  return bits === undefined ? rangeOfOne(address) : (rangeOf(entry) ?? someBits)
}

const ownBits =
  'IPv4 clients are compared with IPv4 ranges, and the bits after this slash count in IPv6'
const someBits = 'no more bits after the slash than the address has'
