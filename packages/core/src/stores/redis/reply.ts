import { isList } from '../../options/predicates.js'

/**
 * The script's reply with its numbers as numbers. A client may be set up to give them as strings, buffers or bigints: ioredis by
 * `stringNumbers`, node-redis by a type mapping.
 *
 * @throws TypeError where the reply is not the script's
 */
export function readReply(reply: unknown): readonly unknown[] {
  const items: readonly unknown[] = isList(reply) ? reply : []
  const read = typeof items[0] === 'number' ? items : items.map(readItem)
  // Redis's time comes first. The server's clock is learned from it, so it has to be a number.
  if (Number.isSafeInteger(read[0])) return read
  throw new TypeError(`the client answered a script with ${String(reply)}`)
}

/** An error's text has letters, so it stays text. */
function readItem(item: unknown): unknown {
  const text = String(item)
  return /^\d+$/.test(text) ? Number(text) : text
}
