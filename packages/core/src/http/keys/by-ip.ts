import ipaddr from 'ipaddr.js'
import { requestError } from '../../errors/request-error.js'
import { isCount } from '../../options/predicates.js'
import { checked, optional, readOptions } from '../../options/readers.js'
import { addressOf, plainIpv4 } from '../lists/address.js'
import { watchAddresses } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'

/** Options of `byIp` and `ipKey`. */
export interface ByIpOptions {
  /**
   * The leading bits of an IPv6 address that identify a client. A household or a rented server has a /64 or a larger network, and can send from any
   * address in it.
   *
   * @default 64
   */
  readonly ipv6?: number | undefined
}

/**
 * Uses the client's address as the key: the whole address for IPv4, the subnet for IPv6. IPv4-mapped IPv6 addresses count as IPv4. Ports and zones are
 * ignored.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: byIp({ ipv6: 56 }) })
 * @throws SluiceError immediately if the option is wrong; for a request, SLUICE_ADDRESS_MISSING if it has no address
 */
export function byIp(
  options: ByIpOptions = {},
): (request: unknown, view: RequestView<unknown>) => string {
  const ipv6 = bitsOf('byIp', options)
  const watch = watchAddresses()
  function keyByIp(_request: unknown, view: RequestView<unknown>): string {
    watch(view)
    return keyOf(view.address, ipv6, view)
  }
  made.add(keyByIp)
  return keyByIp
}

const made = new WeakSet<object>()

/** Whether `byIp` made this function, whose keys need no checks. */
export function isByIp<F>(source: F): source is F & ReturnType<typeof byIp> {
  return typeof source === 'function' && made.has(source)
}

const usualBits = 64

/**
 * The key of a client's address, as `byIp` makes it with the same options: to unblock a client, or for a limiter that counts upgrades of WebSockets and
 * other work without a request of the framework.
 *
 * @example
 * limiter.consume(ipKey(socket.remoteAddress))
 * @throws SluiceError SLUICE_ADDRESS_MISSING if the text is not an address
 */
export function ipKey(address: string | undefined, options?: ByIpOptions): string {
  return keyOf(address, options === undefined ? usualBits : bitsOf('ipKey', options))
}

function bitsOf(where: string, options: ByIpOptions): number {
  return readOptions(where, options, { ipv6: optional(prefixLength, usualBits) }).ipv6
}

const prefixLength = checked(
  'a whole number of bits from 1 to 128',
  (value): value is number => isCount(value) && value >= 1 && value <= 128,
)

function keyOf(text: string | undefined, bits: number, view?: RequestView<unknown>): string {
  const plain = text === undefined ? undefined : plainIpv4(text)
  if (plain !== undefined) return `ip:${plain}`
  const address = text === undefined ? undefined : addressOf(text)
  if (address === undefined) {
    throw requestError('SLUICE_ADDRESS_MISSING', text, view?.addressAdvice)
  }
  if (address instanceof ipaddr.IPv4) return `ip:${address.toString()}`
  const mask = ipaddr.IPv6.subnetMaskFromPrefixLength(bits).parts
  const subnet = new ipaddr.IPv6(address.parts.map((part, i) => part & mask[i]))
  return `ip:${subnet.toString()}/${bits}`
}
