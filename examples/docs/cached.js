// #region cached
/** Caches the results of `load` by its argument. If `load` fails, the last result is used for another `ms` milliseconds. */
export function cached(load, { ms = 30_000, size = 10_000, clock = Date.now } = {}) {
  const entries = new Map()

  function get(id) {
    const known = entries.get(id)
    if (known !== undefined && clock() < known.until) return known.value
    // The promise is cached, so that parallel requests share one call.
    const value = load(id).catch((error) => {
      if (known !== undefined) return known.value
      entries.delete(id)
      throw error
    })
    entries.delete(id)
    entries.set(id, { value, until: clock() + ms })
    if (entries.size > size) entries.delete(entries.keys().next().value)
    return value
  }

  return { get, forget: (id) => entries.delete(id) }
}
// #endregion
