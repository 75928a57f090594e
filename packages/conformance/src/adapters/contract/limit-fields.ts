import type { Reply } from '../client.js'

const known = new Set([
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
])

/** What an answer says of limits: those of its headers, and any other whose name speaks of them. */
export function limitFields({ headers }: Reply): Partial<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => known.has(name) || name.includes('ratelimit')),
  )
}
