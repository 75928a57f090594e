import { sha256 } from '@noble/hashes/sha2.js'

/** A key: one string, or parts that belong together, such as `['user', id]`. A part may have parts of its own. */
export type Key = string | readonly KeyPartValue[]

/** A part of a key: a string, or a list of them, such as another key. */
export type KeyPartValue = string | readonly string[]

/** Longer keys are kept by their hash: a client that chooses its key must not choose how much it costs. */
const longestKey = 256

/**
 * One string for a key. A plain string is its own, as long as it does not begin like what follows: no look at the rest of it is needed then. A
 * list begins with `|`, so do its parts, and the parts of a part are joined by `,`; within them what separates or escapes is escaped. A list
 * of one string is that string. Of a long key it is the SHA-256, behind `%#`. So two different keys never give the same one. Returns undefined
 * where the key is empty or no key.
 */
export function joinKey(key: unknown): string | undefined {
  const joined = typeof key === 'string' ? joinText(key) : joinParts(key)
  return joined !== undefined && joined.length > longestKey ? `%#${hashOf(joined)}` : joined
}

function joinText(text: string): string | undefined {
  if (text === '') return undefined
  const first = text.charCodeAt(0)
  return first === bar || first === percentSign ? `%${text}` : text
}

const bar = 0x7c
const percentSign = 0x25

function joinParts(key: unknown): string | undefined {
  const only = onlyOf(onlyOf(key))
  if (typeof only === 'string') return joinText(only)
  const joined = joinList(key, '|', (part) =>
    typeof part === 'string' ? escapePart(part) : joinList(part, ',', escapePart),
  )
  return joined === undefined ? undefined : `|${joined}`
}

function onlyOf(list: unknown): unknown {
  return Array.isArray(list) && list.length === 1 ? list[0] : list
}

function joinList(
  list: unknown,
  separator: string,
  join: (part: unknown) => string | undefined,
): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const parts: string[] = []
  for (const part of list) {
    const joined = join(part)
    if (joined === undefined) return undefined
    parts.push(joined)
  }
  return parts.join(separator)
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

function hashOf(text: string): string {
  // UTF-8 has no form for a lone surrogate: without an escape, all of them would be one.
  const bytes = new TextEncoder().encode(text.replace(/[%\p{Surrogate}]/gu, percent))
  return Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function escapePart(part: unknown): string | undefined {
  return typeof part === 'string' && part !== '' ? part.replace(/[%|,]/g, percent) : undefined
}

/** A name as Redis gets it: two different ones never become the same bytes. */
export function escapeName(name: string): string {
  return name.replace(/[%:{}\p{Surrogate}]/gu, percent)
}

function escapeTag(key: string): string {
  return /[%{}\p{Surrogate}]/u.test(key) ? key.replace(/[%{}\p{Surrogate}]/gu, percent) : key
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
