import {
  changing,
  loading,
  withoutVersions,
  type Data,
  type Fault,
  type MakeFaulty,
} from './fault.js'

const firstEnds = new WeakMap<Data, Map<string, number>>()
const savedAgain = new WeakMap<Data, Set<string>>()

/** Loads no row for which this is so. */
function vanishing(isGone: (endsAt: number, now: number) => boolean): MakeFaulty {
  return (data) =>
    loading(({ now, rows }, keys) => ({
      now,
      rows: rows.map((row, i) =>
        isGone(data.map.rows.get(keys[i])?.endsAt ?? Infinity, now) ? undefined : row,
      ),
    }))(data)
}

/** The ends of rows. */
export const ofEnds: readonly Fault[] = [
  [
    'deletes every row that it cleans',
    'ends',
    'There is no row instead of a row of 1 bytes (1).',
    ({ map }) => ({
      async clean() {
        map.rows.clear()
      },
    }),
  ],
  [
    'deletes the rows that were saved once when it cleans',
    'ends',
    'There is no row instead of a row of 1 bytes (1).',
    (data) => {
      const again = savedAgain.get(data) ?? new Set()
      savedAgain.set(data, again)
      return {
        async save(groups, span) {
          for (const { key, version } of groups.flat()) if (version !== undefined) again.add(key)
          return data.map.save(groups, span)
        },
        async clean() {
          for (const key of data.map.rows.keys()) if (!again.has(key)) data.map.rows.delete(key)
        },
      }
    },
  ],
  [
    'keeps the end of a row when it is saved again',
    'ends',
    'There is no row instead of a row of 1 bytes (1).',
    (data) => {
      const ends = firstEnds.get(data) ?? new Map<string, number>()
      firstEnds.set(data, ends)
      const { map } = data
      return {
        ...changing((one) => {
          const endsAt = ends.get(one.key) ?? one.endsAt
          ends.set(one.key, endsAt)
          return { ...one, endsAt }
        })(data),
        async clean() {
          for (const [key, { endsAt }] of map.rows)
            if (endsAt <= Date.now() + 2000) map.rows.delete(key)
        },
      }
    },
  ],
  [
    'returns no row in the last half second before its end',
    'ends',
    'A row of 300 ms was gone ',
    vanishing((endsAt, now) => now >= endsAt - 500),
  ],
  [
    'counts the time of a row in half minutes',
    'ends',
    'A row of 300 ms was gone ',
    vanishing((endsAt, now) => Math.floor(endsAt / 30_000) * 30_000 <= now),
  ],
  [
    'deletes rows ten seconds before their end when it cleans',
    'ends',
    'A row of 300 ms was gone ',
    ({ map }) => ({
      async clean() {
        for (const [key, { endsAt }] of map.rows)
          if (endsAt <= Date.now() + 10_000) map.rows.delete(key)
      },
    }),
  ],
  [
    'replaces a row that ends within half a minute',
    'ended',
    'It replaced a row by no version ',
    withoutVersions(
      ({ version }, row) =>
        version === undefined && row !== undefined && row.endsAt <= Date.now() + 30_000,
    ),
  ],
  [
    'replaces two rows in the last 200 ms before their end',
    'ended',
    'It replaced a row by no version ',
    withoutVersions(
      ({ version }, row, group) =>
        version === undefined &&
        group.length > 1 &&
        row !== undefined &&
        row.endsAt <= Date.now() + 200,
    ),
  ],
  [
    'inserts only where there is no row',
    'ended',
    'It did not replace a row that had ended.',
    changing((one, row) =>
      one.version === undefined && row !== undefined ? { ...one, version: -1 } : one,
    ),
  ],
  [
    'replaces two rows only where there are none',
    'ended',
    'It did not replace a row that had ended.',
    changing((one, row, group) =>
      one.version === undefined && row !== undefined && group.length > 1
        ? { ...one, version: -1 }
        : one,
    ),
  ],
  [
    'keeps the end of a row that has ended',
    'ended',
    'It saved a row by no version, although the row had not ended.',
    changing((one, row) =>
      one.version === undefined && row !== undefined ? { ...one, endsAt: row.endsAt } : one,
    ),
  ],
  [
    'keeps the version of a row that has ended',
    'ended',
    'It saved a row by the version of the row that was replaced.',
    ({ map }) => ({
      async save(groups, span) {
        const before = new Map(map.rows)
        const saved = await map.save(groups, span)
        const kept = saved.groups.map(
          (versions, g) =>
            versions &&
            groups[g].map(({ key, version }, i) => {
              const [old, row] = [before.get(key), map.rows.get(key)]
              if (version !== undefined || old === undefined || row === undefined)
                return versions[i]
              map.rows.set(key, { ...row, version: old.version })
              return old.version
            }),
        )
        return { ...saved, groups: kept }
      },
    }),
  ],
  [
    'fails when it cleans',
    'clean',
    'It rejected: no function',
    () => ({ clean: () => Promise.reject(new Error('no function')) }),
  ],
]
