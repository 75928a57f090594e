interface AnyMap<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value of a key, which is made if the map has none. */
export function getOrAdd<K, V>(map: AnyMap<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
