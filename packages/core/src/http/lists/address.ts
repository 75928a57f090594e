import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses a client's address; undefined if the text is not an address. IPv4 within IPv6 becomes IPv4. */
export function addressOf(text: string): Address | undefined {
  const host = hostOf(text)
  if (!host.includes(':')) return isIpv4(host) ? ipaddr.IPv4.parse(host) : undefined
  if (!ipaddr.IPv6.isValid(host)) return undefined
  const address = ipaddr.IPv6.parse(host)
  return ipv4Within(address) ?? address
}

/** The text of a client's address: equal for all notations of one address. Undefined if the text is not an address. */
export function addressText(text: string): string | undefined {
  return plainIpv4(text) ?? addressOf(text)?.toString()
}

/** The number of bits before the IPv4 address in an IPv4-mapped address. */
export const ipv4Offset = 96

/** The first parts of the addresses in 64:ff9b::/96. */
const nat64 = [0x64, 0xff_9b, 0, 0, 0, 0]

/**
 * The IPv4 address within an IPv6 address that is IPv4-mapped (::ffff:0:0/96, RFC 4291) or behind NAT64 (64:ff9b::/96, RFC 6052). The bits are
 * compared and not the notation: ::ffff:1.2.3.4 is also written ::ffff:102:304 and 0:0:0:0:0:ffff:1.2.3.4. All addresses of either kind are in one /64,
 * so that by subnet a single client could exhaust the limit of all others.
 */
export function ipv4Within(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const isIpv4 =
    address.isIPv4MappedAddress() || nat64.every((part, i) => part === address.parts[i])
  return isIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : undefined
}

/**
 * A fast path for the notation that sockets use for IPv4: four decimal numbers, with the prefix `::ffff:` if the server listens on IPv6 as well.
 */
export function plainIpv4(text: string): string | undefined {
  const address = text.startsWith('::ffff:') ? text.slice('::ffff:'.length) : text
  return ipv4Text.test(address) ? address : undefined
}

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'

/** The notation that `isIPv4` of `node:net` accepts. */
const ipv4Text = new RegExp(`^${byte}(?:\\.${byte}){3}$`)

/** Removes the port and the zone: '1.2.3.4:5678', '[fe80::1%eth0]:80', 'fe80::1%eth0'. */
function hostOf(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  const host = bracketed?.[1] ?? text
  const colon = host.indexOf(':')
  if (colon !== -1 && colon === host.lastIndexOf(':')) {
    return /^\d+$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host
  }
  return host.replace(/%.*$/, '')
}

// Four decimal numbers only: 0x7f.1 and 127.1 are notations that appear in forged headers only.
function isIpv4(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host)
}
