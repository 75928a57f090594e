import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address in bits. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A client's address in bits: IPv4 within IPv6 is IPv4. Undefined where the text is no address. */
export function addressOf(text: string): Address | undefined {
  const host = hostOf(text)
  if (!host.includes(':')) return isIpv4(host) ? ipaddr.IPv4.parse(host) : undefined
  if (!ipaddr.IPv6.isValid(host)) return undefined
  const address = ipaddr.IPv6.parse(host)
  return ipv4Within(address) ?? address
}

/** How many bits stand in front of an IPv4 address within IPv6. */
export const ipv4Offset = 96

const nat64 = ipaddr.IPv6.parse('64:ff9b::')

/**
 * The IPv4 address within an IPv6 address: one that is mapped (::ffff:0:0/96, RFC 4291), or one behind NAT64 (64:ff9b::/96, RFC 6052). By bits and
 * not by notation: ::ffff:1.2.3.4 is also written ::ffff:102:304, and 0:0:0:0:0:ffff:1.2.3.4. All of either kind lie in one /64, where a single
 * client would use up the limit of all the others.
 */
export function ipv4Within(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const isIpv4 = address.isIPv4MappedAddress() || address.match(nat64, ipv4Offset)
  return isIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : undefined
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
