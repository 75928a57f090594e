import { isList } from '../../options/predicates.js'

/**
 * Converts the numbers of a script's reply to JavaScript numbers. A client may be configured to return strings, buffers or bigints: ioredis with
 * `stringNumbers`, node-redis with a type mapping.
 *
 * @throws TypeError if no Sluice script can have sent the reply
 */
export function readReply(reply: unknown): readonly unknown[] {
  const items: readonly unknown[] = isList(reply) ? reply : []
  const read = typeof items[0] === 'number' ? items : items.map(readItem)
  // The first item is the server's time, which updates the server clock.
  if (Number.isSafeInteger(read[0])) return read
  throw new TypeError(`the client answered a script with ${String(reply)}`)
}

/** The text of an error contains letters, so it remains a string. */
function readItem(item: unknown): unknown {
  const text = String(item)
  return /^\d+$/.test(text) ? Number(text) : text
}
