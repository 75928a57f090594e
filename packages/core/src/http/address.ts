import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address in bits. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A client's address in bits: IPv4 in the clothes of IPv6 is IPv4. Undefined where the text is no address. */
export function addressOf(text: string): Address | undefined {
  const host = hostOf(text)
  if (!host.includes(':')) return isIpv4(host) ? ipaddr.IPv4.parse(host) : undefined
  if (!ipaddr.IPv6.isValid(host)) return undefined
  const address = ipaddr.IPv6.parse(host)
  // By bits and not by notation: ::ffff:1.2.3.4 is also written ::ffff:102:304, and 0:0:0:0:0:ffff:1.2.3.4. All of them lie in
  // one /64, where a single client would shut out everybody who comes by IPv4.
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * The address of nearly every request by IPv4, as sockets write it: four decimal numbers, and in front of them what a server that listens for
 * IPv6, too, puts there. There is nothing to work out.
 */
export function plainIpv4(text: string): string | undefined {
  const address = text.startsWith('::ffff:') ? text.slice('::ffff:'.length) : text
  return isIPv4(address) ? address : undefined
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
