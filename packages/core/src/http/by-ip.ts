import ipaddr from 'ipaddr.js'
import { sluiceError } from '../errors.js'
import { optional, readOptions, type OptionReader } from '../policy.js'
import type { RequestView } from './request-view.js'

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
  const mask = ipaddr.IPv6.subnetMaskFromPrefixLength(ipv6).parts
  return function keyByIp(_request, { address }) {
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
  const host = hostOf(text)
  if (!host.includes(':')) return isIpv4(host) ? host : undefined
  if (!ipaddr.IPv6.isValid(host)) return undefined
  const address = ipaddr.IPv6.parse(host)
  // By bits and not by notation: ::ffff:1.2.3.4 is also written ::ffff:102:304, and 0:0:0:0:0:ffff:1.2.3.4. All of them lie in
  // one /64, where a single client would shut out everybody who comes by IPv4.
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  const subnet = new ipaddr.IPv6(address.parts.map((part, i) => part & mask[i]))
  return `${subnet.toString()}/${bits}`
}

/** The address alone: '1.2.3.4:5678', '[fe80::1%eth0]:80' and 'fe80::1%eth0' lose what is not the client's. */
function hostOf(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  const host = bracketed?.[1] ?? text
  const colon = host.indexOf(':')
  if (colon !== -1 && colon === host.lastIndexOf(':')) {
    return /^\d+$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host
  }
  return host.replace(/%.*$/, '')
}

// Four decimal numbers and nothing else: 0x7f.1 and 127.1 are names of an address that only a forged header would use.
function isIpv4(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host)
}
