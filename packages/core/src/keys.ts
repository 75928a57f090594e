/** A key: one string, or parts that belong together, such as `['user', id]`. */
export type Key = string | readonly string[]

/**
 * One string for a key. Two different lists of parts never give the same one: parts are joined by `|`, and a `|` or `%`
 * inside a part is escaped. A plain string is a list of one part. Returns undefined where the key is empty or no key.
 */
export function joinKey(key: unknown): string | undefined {
  if (typeof key === 'string') return key === '' ? undefined : escapePart(key)
  if (!Array.isArray(key) || key.length === 0) return undefined
  const parts: string[] = []
  for (const part of key) {
    if (typeof part !== 'string' || part === '') return undefined
    parts.push(escapePart(part))
  }
  return parts.join('|')
}

/**
 * The name of a key's state in Redis. The braces are the cluster's hash tag, so everything about one key lies in one slot.
 * No prefix, name or key can open or close a brace of its own or reach into its neighbour: each is escaped first. A lone
 * surrogate has no UTF-8 form (all of them would become U+FFFD, one bucket for many keys), so it is escaped as well.
 */
export function redisKey(prefix: string, name: string, key: string): string {
  return `${escapeName(prefix)}:${escapeName(name)}:{${escapeTag(key)}}`
}

/** The name of a body beside that state: a log, leases. */
export function bodyKey(stateKey: string, policy: string, number: number): string {
  return `${stateKey}:${escapeName(policy)}:${number}`
}

function escapePart(part: string): string {
  return /[%|]/.test(part) ? part.replace(/[%|]/g, percent) : part
}

/** A name as Redis gets it: two different ones never become the same bytes. */
export function escapeName(name: string): string {
  return name.replace(/[%:{}\p{Surrogate}]/gu, percent)
}

// Not the percent sign: in a joined key it only ever begins an escape, and these escapes are none that joining writes.
function escapeTag(key: string): string {
  return /[{}\p{Surrogate}]/u.test(key) ? key.replace(/[{}\p{Surrogate}]/gu, percent) : key
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
