import { describeDatabase } from '@sluice/testing'

/** Keeps rows in a map, which several instances can share. */
function mapDatabase(rows) {
  let lastVersion = 0

  function write({ key, bytes }) {
    lastVersion++
    if (bytes === undefined) rows.delete(key)
    else rows.set(key, { version: lastVersion, bytes })
    return lastVersion
  }

  return {
    name: 'map',
    async load(keys) {
      return { now: Date.now(), rows: keys.map((key) => rows.get(key)) }
    },
    async save(groups, { from, until }) {
      const now = Date.now()
      const isInSpan = from <= now && now <= until
      const isCurrent = ({ key, version }) => rows.get(key)?.version === version
      const saved = groups.map((changes) =>
        isInSpan && changes.every(isCurrent) ? changes.map(write) : undefined,
      )
      return { now, groups: saved }
    },
  }
}

const database = mapDatabase(new Map())
describeDatabase('mapDatabase', () => database)
