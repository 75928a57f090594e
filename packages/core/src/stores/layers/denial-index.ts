/** Finds remembered denials by the key that they are about. */
export interface Index {
  add(key: string, identity: string): void
  remove(key: string, identity: string): void
  identitiesOf(key: string): Iterable<string>
}

export function createIndex(): Index {
  const index = new Map<string, Set<string>>()
  return {
    add(key, identity) {
      const known = index.get(key)
      if (known === undefined) index.set(key, new Set([identity]))
      else known.add(identity)
    },
    remove(key, identity) {
      const known = index.get(key)
      known?.delete(identity)
      if (known?.size === 0) index.delete(key)
    },
    identitiesOf: (key) => index.get(key) ?? [],
  }
}
