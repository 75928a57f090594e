import { isInstance, isKeyPart } from '../../keys.js'
import { isList } from '../../options/predicates.js'

/** The values of a request that were read: the texts of their lists, their objects, and their number. */
interface Read {
  readonly lists: Set<string | undefined>
  readonly objects: Set<object>
  count: number
}

const reads = new WeakMap<readonly unknown[], Read>()

/**
 * Whether the client sent this list, in the body, the query, the route's parameters or a cookie. A list that a key function builds,
 * `(req) => ['name', req.body.name]`, looks like one that it takes from the request, `(req) => req.body.name`. With the latter, a client could send
 * `["ann", "x"]` and have a new count for each `x`. Lists are compared by their parts and not by identity, because Express parses the query on each
 * access, and applications copy the values that they validate.
 *
 * @param sent the values of a request, which may become more. Each is read once, for any number of keys
 */
export function isSent(list: readonly unknown[], sent: readonly unknown[]): boolean {
  const read = reads.get(sent) ?? { lists: new Set(), objects: new Set(), count: 0 }
  reads.set(sent, read)
  const left = sent.slice(read.count)
  read.count = sent.length
  while (left.length > 0) {
    const value = left.pop()
    // Values can share objects, and an application may have added a cycle.
    if (!isParsed(value) || read.objects.has(value)) continue
    read.objects.add(value)
    if (isList(value)) read.lists.add(textOf(value))
    for (const each of Object.values(value)) if (typeof each === 'object') left.push(each)
  }
  const text = textOf(list)
  return text !== undefined && read.lists.has(text)
}

/** The text of a list that can be a key. No client can send a bigint. */
function textOf(list: readonly unknown[]): string | undefined {
  const isSendable = list.every((part) => isKeyPart(part) && typeof part !== 'bigint')
  return isSendable ? JSON.stringify(list) : undefined
}

/** Only lists and plain objects are searched: a Buffer or a stream contains no list. Fastify's query parser makes objects with an empty prototype. */
function isParsed(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isInstance(value)
}
