import type { StoredRow } from '@sluice/core/database'
import {
  changing,
  refusing,
  replying,
  saving,
  withoutVersions,
  writingRefused,
  type Fault,
} from './fault.js'

/** Rows that are saved together, and what a save replies. */
export const ofGroups: readonly Fault[] = [
  [
    'saves at most 100 groups',
    'whole',
    'It did not save 256 new rows.',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups.slice(0, 100), span)
        return { ...saved, groups: groups.map((_, i) => saved.groups[i]) }
      },
    }),
  ],
  [
    'saves at most two rows of a group',
    'whole',
    'It did not save three new rows.',
    refusing((group) => group.length > 2),
  ],
  [
    'checks only the first row of a group',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions((one, _, group) => one !== group[0]),
  ],
  [
    'checks only the last row of a group',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions((one, _, group) => one !== group.at(-1)),
  ],
  [
    'checks no row of a group that only changes existing rows',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions(
      (_, row, group) =>
        row !== undefined &&
        group.every(({ version, bytes }) => version !== undefined && bytes !== undefined),
    ),
  ],
  [
    'checks no row of a group that only deletes',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions(
      (_, __, group) => group.length > 1 && group.every(({ bytes }) => bytes === undefined),
    ),
  ],
  [
    'checks no row of a group that only inserts',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions(
      (_, __, group) => group.length > 1 && group.every(({ version }) => version === undefined),
    ),
  ],
  [
    'checks no version behind a new row of its group',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions(
      ({ version }, _, group) => version !== undefined && group[0].version === undefined,
    ),
  ],
  [
    'inserts a row of a group instead of a missing one',
    'whole',
    'It saved a group although one of its rows had another version.',
    withoutVersions(
      ({ version }, row, group) => version !== undefined && row === undefined && group.length > 1,
    ),
  ],
  [
    'saves each row of a group for itself',
    'whole',
    'There is a row of 1 bytes (2) instead of a row of 1 bytes (1).',
    ({ map }) => ({
      async save(groups, span) {
        const { now, groups: each } = await map.save(
          groups.flat().map((one) => [one]),
          span,
        )
        const versions = each.map((one) => one?.[0])
        const saved = groups.map((changes) => {
          const own = versions.splice(0, changes.length)
          return own.includes(undefined) ? undefined : own
        })
        return { now, groups: saved }
      },
    }),
  ],
  [
    'writes the new rows of a group that it does not save',
    'whole',
    'There is a row of 1 bytes (1) instead of no row.',
    writingRefused((_, row) => row === undefined),
  ],
  [
    'writes the new rows of a group beside others that it saves',
    'whole',
    'There is a row of 1 bytes (2) instead of no row.',
    writingRefused((_, row) => row === undefined),
  ],
  [
    'writes the rows of a group that have another version',
    'whole',
    'There is a row of 1 bytes (1) instead of a row of 1 bytes (2).',
    writingRefused(({ version }, row) => row !== undefined && row.version !== version),
  ],
  [
    'writes the rows with another version beside groups that it saves',
    'whole',
    'There is a row of 1 bytes (2) instead of a row of 1 bytes (1).',
    writingRefused(({ version }, row) => row !== undefined && row.version !== version),
  ],
  [
    'does not delete a row of a group',
    'deletes',
    'There is a row of 1 bytes (1) instead of no row.',
    changing((one, row, group) =>
      one.bytes === undefined && group.length > 1 ? { ...one, bytes: row?.bytes } : one,
    ),
  ],
  [
    'changes only the rows of the last group',
    'whole',
    'There is a row of 1 bytes (1) instead of a row of 1 bytes (2).',
    saving((groups, span, { map }) => [
      groups.map((group, g) =>
        group.map((one) =>
          g < groups.length - 1 && one.bytes !== undefined
            ? { ...one, bytes: map.rows.get(one.key)?.bytes ?? one.bytes }
            : one,
        ),
      ),
      span,
    ]),
  ],
  [
    'does not write the groups behind one that it does not save',
    'others',
    'There is no row instead of a row of 1 bytes (2).',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups, span)
        const first = saved.groups.indexOf(undefined)
        if (first >= 0) for (const { key } of groups.slice(first + 1).flat()) map.rows.delete(key)
        return saved
      },
    }),
  ],
  [
    'saves all groups or none',
    'others',
    'It did not save groups beside one that had changed.',
    ({ map }) => ({
      async save(groups, span) {
        const {
          now,
          groups: [all],
        } = await map.save([groups.flat()], span)
        const versions = [...(all ?? [])]
        return {
          now,
          groups: groups.map(({ length }) =>
            all === undefined ? undefined : versions.splice(0, length),
          ),
        }
      },
    }),
  ],
  [
    'checks only the first group of a call',
    'whole',
    'It saved a group with a row that was there already.',
    ({ map }) => ({
      save: (groups, span) =>
        map.save(
          groups.map((group, i) =>
            i === 0
              ? group
              : group.map((one) => ({ ...one, version: map.rows.get(one.key)?.version })),
          ),
          span,
        ),
    }),
  ],
  [
    'returns versions in the order of the keys',
    'newVersions',
    'It did not save or delete rows by the versions that it had returned.',
    replying((saved, groups) => {
      const keysOf = (g: number): string[] => groups[g].map(({ key }) => key)
      const groupsOf = saved.groups.map(
        (versions, g) =>
          versions &&
          keysOf(g)
            .toSorted()
            .map((key) => versions[keysOf(g).indexOf(key)]),
      )
      return { ...saved, groups: groupsOf }
    }),
  ],
  [
    'returns only the saved groups',
    'newVersions',
    'and returned  versions.',
    replying((saved) => ({
      ...saved,
      groups: saved.groups.filter((versions) => versions !== undefined),
    })),
  ],
  [
    'returns one version for a group',
    'newVersions',
    'It was asked to save groups of 3 changes, and returned 1 versions.',
    replying((saved) => ({
      ...saved,
      groups: saved.groups.map((versions) => versions?.slice(0, 1)),
    })),
  ],
  [
    'returns the rows that it was asked to save',
    'currentRows',
    'There is a row of 1 bytes (2) instead of a row of 1 bytes (1).',
    replying((saved, groups) => {
      const rows = groups
        .flat()
        .map(({ key, version, bytes }): [string, StoredRow | undefined] => [
          key,
          bytes && { version, bytes },
        ])
      return { ...saved, rows: new Map(rows) }
    }),
  ],
  [
    'returns a current row for a row that does not exist',
    'currentRows',
    'There is a row of 0 bytes () instead of no row.',
    replying((saved) => {
      const none = { version: undefined, bytes: new Uint8Array() }
      return {
        ...saved,
        rows: new Map([...(saved.rows ?? [])].map(([key, row]) => [key, row ?? none])),
      }
    }),
  ],
  [
    'returns only the current rows that exist',
    'currentRows',
    'It did not return each of them.',
    replying((saved) => ({
      ...saved,
      rows: new Map([...(saved.rows ?? [])].filter(([, row]) => row !== undefined)),
    })),
  ],
  [
    'returns the bytes of current rows as a list',
    'bytes',
    'The state of a row is [object Array], and not a Uint8Array.',
    replying((saved) => ({
      ...saved,
      rows: new Map(
        [...(saved.rows ?? [])].map(([key, row]) => [
          key,
          row && Object.assign({ ...row }, { bytes: [...row.bytes] }),
        ]),
      ),
    })),
  ],
  [
    'returns current rows with the versions of before',
    'currentRows',
    'A save by the version of such a row was not accepted.',
    replying((saved) => ({
      ...saved,
      rows: new Map(
        [...(saved.rows ?? [])].map(([key, row]) => [key, row && { ...row, version: -1 }]),
      ),
    })),
  ],
  [
    'throws at a conflict',
    'conflict',
    'It rejected: could not serialize access',
    replying((saved) => {
      if (saved.groups.includes(undefined)) throw new Error('could not serialize access')
      return saved
    }),
  ],
  [
    'closes the client of the application',
    'close',
    'It rejected: the pool has ended',
    (data) => ({
      load: async (keys) => {
        if (data.isClosed) throw new Error('the pool has ended')
        return data.map.load(keys)
      },
      async save(groups, span) {
        if (data.isClosed) throw new Error('the pool has ended')
        return data.map.save(groups, span)
      },
      async close() {
        data.isClosed = true
      },
    }),
  ],
]
