import { isList } from '../../options/predicates.js'

/**
 * Whether the client sent this list itself, in the body, the query, the route's parameters or a cookie. By its look, a list that a key function has
 * put together cannot be told from one that it took from the request: `(req) => ['name', req.body.name]` and `(req) => req.body.name`. By the
 * latter a client could send `["ann", "x"]`, and have a new count for each `x`. Lists are compared by their parts and not by identity, since
 * Express parses the query anew at each look, and applications copy what they validate.
 */
export function isSent(list: readonly unknown[], sent: readonly unknown[]): boolean {
  const left: object[] = []
  // An application may have made objects lead back to each other. Those that hold no others cannot, and most of a body are of this kind.
  const seen = new Set<object>()
  for (let value: object | undefined = sent; value !== undefined; value = left.pop()) {
    if (isList(value) && isSame(value, list)) return true
    const before = left.length
    for (const each of isList(value) ? value : Object.values(value)) {
      if (isParsed(each)) left.push(each)
    }
    if (left.length === before) continue
    if (seen.has(value)) left.length = before
    else seen.add(value)
  }
  return false
}

/**
 * Only lists and plain objects: to look into a Buffer or a stream is work, and neither contains a list. Plain are also the objects of another
 * realm, and those of a parser that gives them an empty prototype, such as Fastify's of the query.
 */
function isParsed(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (isList(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, i) => part === other[i])
}
