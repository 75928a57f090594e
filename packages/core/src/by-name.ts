/** Groups values by their names, in one pass: `getAll` of `URLSearchParams` searches all parameters for each name. */
export function byName<V>(
  pairs: Iterable<readonly [name: string, value: V]>,
): ReadonlyMap<string, readonly V[]> {
  const groups = new Map<string, V[]>()
  for (const [name, value] of pairs) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}
