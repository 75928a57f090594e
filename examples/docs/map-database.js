import { describeDatabase } from '@sluice/testing'

/** Keeps rows in a map, which several instances can share. */
function mapDatabase(rows) {
  let lastVersion = 0

  function write({ key, bytes, endsAt }) {
    lastVersion++
    if (bytes === undefined) rows.delete(key)
    else rows.set(key, { version: lastVersion, bytes, endsAt })
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
      const isCurrent = ({ key, version }) => {
        const row = rows.get(key)
        return row?.version === version || (version === undefined && row.endsAt <= now)
      }
      const saved = groups.map((changes) =>
        isInSpan && changes.every(isCurrent) ? changes.map(write) : undefined,
      )
      return { now, groups: saved }
    },
  }
}

const database = mapDatabase(new Map())
describeDatabase('mapDatabase', () => database)
