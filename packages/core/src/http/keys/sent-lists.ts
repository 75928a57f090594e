import { isList } from '../../options/predicates.js'

/**
 * Whether the client sent this list, in the body, the query, the route's parameters or a cookie. A list that a key function builds,
 * `(req) => ['name', req.body.name]`, looks like one that it takes from the request, `(req) => req.body.name`. With the latter, a client could send
 * `["ann", "x"]` and have a new count for each `x`. Lists are compared by their parts and not by identity, because Express parses the query on each
 * access, and applications copy the values that they validate.
 */
export function isSent(list: readonly unknown[], sent: readonly unknown[]): boolean {
  const left: object[] = []
  // Guards against cycles, which an application may have added. Objects without children, most of a body, need no guard.
  const seen = new Set<object>()
  for (let value: object | undefined = sent; value !== undefined; value = left.pop()) {
    if (isList(value) && areSame(value, list)) return true
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
 * Only lists and plain objects are searched: a Buffer or a stream contains no list. Objects of another realm are plain as well, and so are objects with an
 * empty prototype, which Fastify's query parser makes.
 */
function isParsed(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (isList(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, i) => part === other[i])
}
