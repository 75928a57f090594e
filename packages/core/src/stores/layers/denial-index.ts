/** Finds remembered denials by the place that they are about: a key of a limiter. */
export interface Index {
  add(place: string, identity: string): void
  remove(place: string, identity: string): void
  at(place: string): Iterable<string>
}

export function createIndex(): Index {
  const index = new Map<string, Set<string>>()
  return {
    add(place, identity) {
      const there = index.get(place)
      if (there === undefined) index.set(place, new Set([identity]))
      else there.add(identity)
    },
    remove(place, identity) {
      const there = index.get(place)
      there?.delete(identity)
      if (there?.size === 0) index.delete(place)
    },
    at: (place) => index.get(place) ?? [],
  }
}
