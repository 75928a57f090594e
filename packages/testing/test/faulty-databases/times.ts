import type { Change } from '@sluice/core/database'
import { changing, loading, replying, saving, type Fault, type Data } from './fault.js'

const since = new WeakMap<Data, number>()
const firstEnds = new WeakMap<Data, Map<string, number>>()
const savedAgain = new WeakMap<Data, Set<string>>()

const always = { from: 0, until: 2 ** 52 }
const isAlone = (groups: readonly (readonly Change[])[]): boolean =>
  groups.length === 1 && groups[0].length === 1

const outside = ', and the span was from '

/** The clock, the span and the ends of rows. */
export const ofTimes: readonly Fault[] = [
  [
    'has a time in seconds',
    'time',
    'and that of this process',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000), rows })),
  ],
  [
    'has a time of whole seconds',
    'time',
    'which are whole seconds.',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000) * 1000, rows })),
  ],
  [
    'has the time of its start',
    'time',
    'Two pauses of 50 ms took ',
    (data) => {
      const start = since.get(data) ?? Date.now()
      since.set(data, start)
      return loading(({ rows }) => ({ now: start, rows }))(data)
    },
  ],
  [
    'has another clock when it saves',
    'time',
    'Two pauses of 50 ms took ',
    replying((saved) => ({ ...saved, now: saved.now - 10_000 })),
  ],
  [
    'ignores the beginning of the span',
    'span',
    outside,
    saving((groups, { until }) => [groups, { from: 0, until }]),
  ],
  [
    'ignores the end of the span',
    'span',
    outside,
    saving((groups, { from }) => [groups, { from, until: always.until }]),
  ],
  [
    'ignores the span for a row alone',
    'span',
    outside,
    saving((groups, span) => [groups, isAlone(groups) ? always : span]),
  ],
  [
    'ignores the span for two rows',
    'span',
    outside,
    saving((groups, span) => [groups, isAlone(groups) ? span : always]),
  ],
  [
    'ignores the span for a row that exists',
    'span',
    'It saved over a row outside of the span.',
    saving((groups, span) => [
      groups,
      isAlone(groups) && groups[0][0].bytes !== undefined && groups[0][0].version !== undefined
        ? always
        : span,
    ]),
  ],
  [
    'ignores the span when it deletes',
    'span',
    'It deleted a row after the span.',
    saving((groups, span) => [
      groups,
      groups.flat().some(({ bytes }) => bytes === undefined) ? always : span,
    ]),
  ],
  [
    'saves in no span that begins when it was loaded',
    'span',
    'It did not save inside of the span.',
    saving((groups, { from, until }) => [groups, { from: from === 0 ? 0 : from + 1000, until }]),
  ],
  [
    'excludes the first millisecond of the span',
    'bounds',
    'In the first millisecond of the span it did not save.',
    saving((groups, { from, until }) => [groups, { from: from + 1, until }]),
  ],
  [
    'excludes the last millisecond of the span',
    'bounds',
    'In the last millisecond of the span it did not save.',
    saving((groups, { from, until }) => [groups, { from, until: until - 1 }]),
  ],
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
