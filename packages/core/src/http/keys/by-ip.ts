import ipaddr from 'ipaddr.js'
import { sluiceError } from '../../errors.js'
import { optional, readOptions, type OptionReader } from '../../options/readers.js'
import { addressOf, plainIpv4 } from '../lists/address.js'
import { watchAddresses } from '../guard/mistakes.js'
import type { RequestView } from '../request/request-view.js'

export interface ByIpOptions {
  /**
   * How many leading bits of an IPv6 address make one client. A household or a rented server is given a /64 or more and can
   * send from any address in it.
   *
   * @default 64
   */
  readonly ipv6?: number
}

/**
 * The client's address as a key: IPv4 whole, IPv6 by subnet. IPv4 in the clothes of IPv6 is IPv4; ports and zones do not count.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: byIp({ ipv6: 56 }) })
 * @throws SluiceError at once where the option is wrong, and per request SLUICE_ADDRESS_MISSING where there is no address
 */
export function byIp(
  options: ByIpOptions = {},
): (request: unknown, view: RequestView<unknown>) => string {
  const { ipv6 } = readOptions('byIp', options, { ipv6: optional(prefixLength, 64) })
  const keyByIp = made.get(ipv6) ?? keyBySubnet(ipv6)
  made.set(ipv6, keyByIp)
  return keyByIp
}

type KeyByIp = (request: unknown, view: RequestView<unknown>) => string

// One function for each length, so that limits which count by the same addresses are seen to have the same key.
const made = new Map<number, KeyByIp>()

function keyBySubnet(ipv6: number): KeyByIp {
  const mask = ipaddr.IPv6.subnetMaskFromPrefixLength(ipv6).parts
  const watch = watchAddresses()
  return function keyByIp(_request, view) {
    watch(view)
    const { address } = view
    const client = address === undefined ? undefined : clientOf(address, ipv6, mask)
    if (client === undefined) throw sluiceError('SLUICE_ADDRESS_MISSING', address)
    return `ip:${client}`
  }
}

const prefixLength: OptionReader<number> = {
  expected: 'a whole number of bits from 1 to 128',
  read: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 128
      ? value
      : undefined,
}

function clientOf(text: string, bits: number, mask: readonly number[]): string | undefined {
  const plain = plainIpv4(text)
  if (plain !== undefined) return plain
  const address = addressOf(text)
  if (!(address instanceof ipaddr.IPv6)) return address?.toString()
  const subnet = new ipaddr.IPv6(address.parts.map((part, i) => part & mask[i]))
  return `${subnet.toString()}/${bits}`
}
