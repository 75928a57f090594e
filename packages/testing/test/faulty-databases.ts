import { setTimeout as delay } from 'node:timers/promises'
import { MapDatabase, type MapRow } from '@sluice/conformance/databases'
import type { Change, Database, Loaded, Saved, Span, StoredRow } from '@sluice/core/database'
import type { Sentence } from '../src/contract.js'

/** The data of one test, which several instances share. */
export class Data {
  readonly map: MapDatabase = new MapDatabase()
  isClosed = false
}

/** Makes an instance of a database with one fault, and the sentence that this fault breaks. */
export type Fault = readonly [
  fault: string,
  sentence: Sentence,
  make: (data: Data) => Partial<Database>,
]

/** Replaces what a database replies to `load`. */
function loading(change: (loaded: Loaded, keys: readonly string[]) => Loaded) {
  return ({ map }: Data): Partial<Database> => ({
    load: async (keys) => change(await map.load(keys), keys),
  })
}

/** Changes what a database is asked to save. */
function saving(
  change: (groups: readonly (readonly Change[])[], span: Span) => Parameters<Database['save']>,
) {
  return ({ map }: Data): Partial<Database> => ({
    save: (groups, span) => map.save(...change(groups, span)),
  })
}

/** Stores each row under another key. */
function naming(nameOf: (key: string) => string) {
  return ({ map }: Data): Partial<Database> => ({
    load: (keys) => map.load(keys.map(nameOf)),
    async save(groups, span) {
      const saved = await map.save(
        groups.map((changes) => changes.map((one) => ({ ...one, key: nameOf(one.key) }))),
        span,
      )
      const keys = groups.flatMap((changes) => changes.map(({ key }) => key))
      const rows = keys.flatMap((key): [string, StoredRow | undefined][] =>
        saved.rows?.has(nameOf(key)) === true ? [[key, saved.rows.get(nameOf(key))]] : [],
      )
      return { ...saved, rows: new Map(rows) }
    },
  })
}

/** Stores other bytes than it was asked to. */
function storing(stored: (bytes: Uint8Array) => Uint8Array | undefined) {
  return saving((groups, span) => [
    groups.map((changes) =>
      changes.map((one) => ({
        ...one,
        bytes: one.bytes === undefined ? undefined : stored(one.bytes),
      })),
    ),
    span,
  ])
}

/** Gives each change the version that the row has. */
function withoutVersions(isAffected: (change: Change, row: MapRow | undefined) => boolean) {
  return ({ map }: Data): Partial<Database> => ({
    save: (groups, span) =>
      map.save(
        groups.map((changes) =>
          changes.map((one) => {
            const row = map.rows.get(one.key)
            return isAffected(one, row) ? { ...one, version: row?.version } : one
          }),
        ),
        span,
      ),
  })
}

/** Saves each change for itself. */
async function saveEach(
  map: MapDatabase,
  groups: readonly (readonly Change[])[],
  span: Span,
): Promise<Saved> {
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
}

const counters = new WeakMap<Data, number>()

export const faults: readonly Fault[] = [
  [
    'returns rows in the order of a table',
    'order',
    loading(({ now, rows }) => ({ now, rows: rows.toReversed() })),
  ],
  [
    'leaves out missing rows',
    'order',
    loading(({ now, rows }) => ({ now, rows: rows.filter((row) => row !== undefined) })),
  ],
  [
    'is made without a check of an empty list',
    'ping',
    ({ map }) => ({
      async load(keys) {
        if (keys.length === 0) throw new Error('syntax error at or near ")"')
        return map.load(keys)
      },
    }),
  ],
  [
    'fails for a key with an apostrophe',
    'text',
    ({ map }) => ({
      async load(keys) {
        if (keys.some((key) => key.includes("'"))) throw new Error('unterminated string')
        return map.load(keys)
      },
    }),
  ],
  [
    'reads at most 100 keys',
    'load',
    loading(({ now, rows }) => ({ now, rows: rows.map((row, i) => (i < 100 ? row : undefined)) })),
  ],
  ['ignores case', 'sameKey', naming((key) => key.toLowerCase())],
  ['ignores accents', 'sameKey', naming((key) => key.normalize('NFD').replaceAll(/\p{Mn}/gu, ''))],
  ['normalizes keys', 'sameKey', naming((key) => key.normalize('NFC'))],
  ['ignores spaces at the end', 'sameKey', naming((key) => key.trimEnd())],
  ['cuts keys after 255 characters', 'sameKey', naming((key) => key.slice(0, 255))],
  [
    'stores bytes as UTF-8',
    'bytes',
    storing((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
  ],
  [
    'leaves out a row that it cannot read',
    'unreadable',
    loading((loaded) => ({
      ...loaded,
      rows: loaded.rows.map((row) => (row?.bytes.length === 0 ? undefined : row)),
    })),
  ],
  ['cuts rows below 64 KiB', 'bytes', storing((bytes) => bytes.slice(0, 65_535))],
  ['saves by any version', 'loadedVersion', withoutVersions(() => true)],
  [
    'overwrites a row that it should insert',
    'loadedVersion',
    withoutVersions(({ version }) => version === undefined),
  ],
  ['deletes by any version', 'deletes', withoutVersions(({ bytes }) => bytes === undefined)],
  [
    'does not delete',
    'deletes',
    ({ map }) => ({
      async save(groups, span) {
        const kept = groups.map((changes) => changes.filter(({ bytes }) => bytes !== undefined))
        const { groups: saved, ...rest } = await map.save(kept, span)
        return {
          ...rest,
          groups: saved.map((versions, i) =>
            versions === undefined ? undefined : groups[i].map((_, at) => versions[at] ?? 0),
          ),
        }
      },
    }),
  ],
  [
    'counts the versions of each row from 1',
    'version',
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
  [
    'saves each row of a group for itself',
    'whole',
    ({ map }) => ({ save: (groups, span) => saveEach(map, groups, span) }),
  ],
  [
    'saves all groups or none',
    'others',
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
    'returns versions in the order of the keys',
    'newVersions',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups, span)
        const keysOf = (g: number): string[] => groups[g].map(({ key }) => key)
        return {
          ...saved,
          groups: saved.groups.map(
            (versions, g) =>
              versions &&
              keysOf(g)
                .toSorted()
                .map((key) => versions[keysOf(g).indexOf(key)]),
          ),
        }
      },
    }),
  ],
  [
    'returns only the saved groups',
    'newVersions',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups, span)
        return { ...saved, groups: saved.groups.filter((versions) => versions !== undefined) }
      },
    }),
  ],
  [
    'returns the rows that it was asked to save',
    'currentRows',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups, span)
        const rows = groups
          .flat()
          .map(({ key, version, bytes }): [string, StoredRow | undefined] => [
            key,
            bytes && { version, bytes },
          ])
        return { ...saved, rows: new Map(rows) }
      },
    }),
  ],
  [
    'throws at a conflict',
    'conflict',
    ({ map }) => ({
      async save(groups, span) {
        const saved = await map.save(groups, span)
        if (saved.groups.includes(undefined)) throw new Error('could not serialize access')
        return saved
      },
    }),
  ],
  [
    'ignores the beginning of the span',
    'span',
    saving((groups, { until }) => [groups, { from: 0, until }]),
  ],
  [
    'ignores the end of the span',
    'span',
    saving((groups, { from }) => [groups, { from, until: 2 ** 52 }]),
  ],
  [
    'ignores the span for a row alone',
    'span',
    saving((groups, span) => [
      groups,
      groups.length === 1 && groups[0].length === 1 ? { from: 0, until: 2 ** 52 } : span,
    ]),
  ],
  [
    'has a time in seconds',
    'time',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000), rows })),
  ],
  [
    'has a time of whole seconds',
    'time',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000) * 1000, rows })),
  ],
  [
    'has the time of its start',
    'time',
    (data) => {
      const since = counters.get(data) ?? Date.now()
      counters.set(data, since)
      return loading(({ rows }) => ({ now: since, rows }))(data)
    },
  ],
  [
    'deletes every row that it cleans',
    'ends',
    ({ map }) => ({
      async clean() {
        map.rows.clear()
      },
    }),
  ],
  [
    'keeps the end of a row when it is saved again',
    'ends',
    ({ map }) => {
      const first = new Map<string, number>()
      return {
        save: (groups, span) =>
          map.save(
            groups.map((changes) =>
              changes.map((one) => {
                const endsAt = first.get(one.key) ?? one.endsAt
                first.set(one.key, endsAt)
                return { ...one, endsAt }
              }),
            ),
            span,
          ),
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
    ({ map }) => ({
      save: (groups, span) =>
        map.save(
          groups.map((changes) =>
            changes.map((one) => {
              const isThere = one.version === undefined && map.rows.has(one.key)
              return isThere ? { ...one, version: -1 } : one
            }),
          ),
          span,
        ),
    }),
  ],
  [
    'keeps the version of a row that has ended',
    'ended',
    ({ map }) => ({
      async save(groups, span) {
        const before = new Map(map.rows)
        const saved = await map.save(groups, span)
        return {
          ...saved,
          groups: saved.groups.map(
            (versions, g) =>
              versions &&
              groups[g].map(({ key, version }, i) => {
                const [old, row] = [before.get(key), map.rows.get(key)]
                if (version !== undefined || old === undefined || row === undefined)
                  return versions[i]
                map.rows.set(key, { ...row, version: old.version })
                return old.version
              }),
          ),
        }
      },
    }),
  ],
  [
    'fails when it cleans',
    'clean',
    () => ({ clean: () => Promise.reject(new Error('no function')) }),
  ],
  [
    'closes the client of the application',
    'close',
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
  [
    'reads the versions, and writes later',
    'whole',
    ({ map }) => ({
      async save(groups, span) {
        const areCurrent = groups.map((changes) =>
          changes.every(({ key, version }) => map.rows.get(key)?.version === version),
        )
        await delay(1)
        const current = groups.map((changes, g) =>
          areCurrent[g]
            ? changes.map((one) => ({ ...one, version: map.rows.get(one.key)?.version }))
            : changes,
        )
        return map.save(current, span)
      },
    }),
  ],
]
