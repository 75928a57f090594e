/** A part of a value: members of the container at a path. */
export interface Piece {
  readonly path: readonly (string | number)[]
  readonly members: readonly (readonly [name: string | number, value: unknown])[]
}

/** To receive this many values takes about a millisecond. */
const largestPiece = 1000

/** Divides plain data into pieces, each after those that it needs. A large value that is received at once holds the event loop. */
export function* piecesOf(
  container: object,
  path: Piece['path'] = [],
): Generator<Piece, undefined, undefined> {
  let members: [string | number, unknown][] = []
  let size = 0
  for (const [key, value] of Object.entries(container)) {
    const name = Array.isArray(container) ? Number(key) : key
    const added = sizeOf(value, largestPiece)
    if (size + added > largestPiece && members.length > 0) {
      yield { path, members }
      members = []
      size = 0
    }
    if (added > largestPiece && isContainer(value)) {
      yield { path, members: [[name, Array.isArray(value) ? [] : {}]] }
      yield* piecesOf(value, [...path, name])
    } else {
      members.push([name, value])
      size += added
    }
  }
  if (members.length > 0) yield { path, members }
}

export function isPiece(value: unknown): value is Piece {
  return typeof value === 'object' && value !== null && 'path' in value && 'members' in value
}

/** Adds a piece to the value that is put together. */
export function addPiece(root: object, { path, members }: Piece): void {
  let container = root
  for (const step of path) {
    const inner: unknown = Reflect.get(container, step)
    if (!isContainer(inner)) throw new Error('A piece came before its container.')
    container = inner
  }
  for (const [name, value] of members) {
    // An assignment to `__proto__` would be none.
    Object.defineProperty(container, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
}

/** The number of values within a value. It counts no further than to the limit. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + value.length / 1000
  if (!isContainer(value)) return 1
  let size = 1
  for (const member of Object.values(value)) {
    size += sizeOf(member, limit - size)
    if (size > limit) break
  }
  return size
}

/** Other objects, such as dates, are sent as they are. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
