import { ipKey } from '@sluice/core/http'

/** The client of an address, as `byIp()` determines it: the subnet of an IPv6 address. A host name is its own client. */
export function clientOf(text: string): string {
  // Without a colon it is an IPv4 address as servers log it, or a host name.
  if (!text.includes(':')) return text
  const known = clients.get(text)
  if (known !== undefined) return known
  const client = read(text)
  if (clients.size >= maxRemembered) clients.clear()
  clients.set(text, client)
  return client
}

/** Parsing an IPv6 address takes longer than a decision. */
const maxRemembered = 10_000
const clients = new Map<string, string>()

function read(address: string): string {
  try {
    return ipKey(address).slice('ip:'.length)
  } catch {
    return address
  }
}
