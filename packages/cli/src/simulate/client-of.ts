import { ipKey } from '@sluice/core/http'

/** The client of an address, as `byIp()` finds it: an IPv6 address counts as its subnet. A host name is a separate client. */
export function clientOf(text: string): string {
  // An IPv4 address or a host name.
  if (!text.includes(':')) return text
  const known = clients.get(text)
  if (known !== undefined) return known
  const client = read(text)
  if (clients.size >= maxRemembered) clients.clear()
  clients.set(text, client)
  return client
}

/** Addresses are remembered, because parsing an IPv6 address takes longer than a decision. */
const maxRemembered = 10_000
const clients = new Map<string, string>()

function read(address: string): string {
  try {
    return ipKey(address).slice('ip:'.length)
  } catch {
    return address
  }
}
