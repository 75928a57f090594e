import type { Reply } from '../client.js'

const known = new Set([
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
])

/** The header fields about limits, known ones and any other whose name suggests a limit. */
export function limitFields({ headers }: Reply): Partial<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => known.has(name) || name.includes('ratelimit')),
  )
}
