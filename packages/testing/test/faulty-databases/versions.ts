import type { StoredRow } from '@sluice/core/database'
import { changing, loading, refusing, replying, withoutVersions, type Fault } from './fault.js'

/** The versions of single rows. */
export const ofVersions: readonly Fault[] = [
  [
    'saves by any version',
    'loadedVersion',
    'It saved a row by a version that the row no longer had.',
    withoutVersions(() => true),
  ],
  [
    'saves by any version but none',
    'loadedVersion',
    'It saved a row by a version that the row no longer had.',
    withoutVersions(({ version }) => version !== undefined),
  ],
  [
    'keeps the bytes of a row that is saved by its loaded version',
    'whole',
    'There is a row of 1 bytes (2) instead of a row of 1 bytes (3).',
    changing((one, row) => (one.bytes?.[0] === 3 ? { ...one, bytes: row?.bytes } : one)),
  ],
  [
    'overwrites a row that it should insert',
    'loadedVersion',
    'It saved a row by a version that the row no longer had.',
    withoutVersions(({ version }) => version === undefined),
  ],
  [
    'saves by any version, and says that it has not',
    'loadedVersion',
    'There is a row of 1 bytes (9) instead of a row of 1 bytes (2).',
    ({ map }) => ({
      async save(groups, span) {
        const isWrong = groups.some((group) =>
          group.some(({ key, version }) => map.rows.get(key)?.version !== version),
        )
        const current = groups.map((group) =>
          group.map((one) => ({ ...one, version: map.rows.get(one.key)?.version })),
        )
        const saved = await map.save(current, span)
        return isWrong ? { now: saved.now, groups: groups.map(() => undefined) } : saved
      },
    }),
  ],
  [
    'returns versions that it does not know',
    'loadedVersion',
    'It did not save a row by its last version.',
    replying(({ now, groups }) => ({
      now,
      groups: groups.map((versions) => versions?.map((version) => `v${String(version)}`)),
    })),
  ],
  [
    'loads versions that it does not know',
    'loadedVersion',
    'It did not save a row by the loaded version.',
    loading(({ now, rows }) => ({
      now,
      rows: rows.map((row) => row && { ...row, version: String(row.version) }),
    })),
  ],
  [
    'deletes by any version',
    'deletes',
    'It deleted a row by an earlier version.',
    withoutVersions(({ bytes }) => bytes === undefined),
  ],
  [
    'refuses to delete',
    'deletes',
    'It did not delete a row by its version.',
    refusing((group) => group.some(({ bytes }) => bytes === undefined)),
  ],
  [
    'does not delete, and says that it has',
    'deletes',
    'instead of no row.',
    changing((one, row) => ({ ...one, bytes: one.bytes ?? row?.bytes })),
  ],
  [
    'counts the versions of each row from 1',
    'version',
    'a save by a version from before was accepted.',
    (data) => {
      const { map } = data
      const versions = new Map<string, number>()
      const shown = (key: string, row: StoredRow | undefined) =>
        row && { ...row, version: versions.get(key) }
      return {
        async load(keys) {
          const { now, rows } = await map.load(keys)
          return { now, rows: rows.map((row, i) => shown(keys[i], row)) }
        },
        async save(groups, span) {
          const known = groups.map((changes) =>
            changes.map((one) => {
              const isKnown = one.version === versions.get(one.key)
              return { ...one, version: isKnown ? map.rows.get(one.key)?.version : -1 }
            }),
          )
          const saved = await map.save(known, span)
          return {
            now: saved.now,
            groups: saved.groups.map((one, g) =>
              one === undefined
                ? undefined
                : groups[g].map(({ key, bytes }) => {
                    if (bytes === undefined) versions.delete(key)
                    else versions.set(key, (versions.get(key) ?? 0) + 1)
                    return versions.get(key) ?? 0
                  }),
            ),
          }
        },
      }
    },
  ],
]
