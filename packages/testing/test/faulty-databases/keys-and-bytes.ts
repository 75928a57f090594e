import type { StoredRow } from '@sluice/core/database'
import {
  changing,
  loading,
  refusing,
  withoutVersions,
  type Fault,
  type MakeFaulty,
} from './fault.js'

/** Stores each row under another key. */
function naming(nameOf: (key: string) => string): MakeFaulty {
  return ({ map }) => ({
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
function storing(stored: (bytes: Uint8Array) => Uint8Array): MakeFaulty {
  return changing((one) => (one.bytes === undefined ? one : { ...one, bytes: stored(one.bytes) }))
}

const taken = 'There was a row for ['

/** The keys of rows, their order, and their bytes. */
export const ofKeysAndBytes: readonly Fault[] = [
  [
    'returns rows in the order of a table',
    'order',
    'instead of a row of 1 bytes (255)',
    loading(({ now, rows }) => ({ now, rows: rows.toReversed() })),
  ],
  [
    'leaves out missing rows',
    'order',
    'It was asked for 2 keys, and returned 0 rows.',
    loading(({ now, rows }) => ({ now, rows: rows.filter((row) => row !== undefined) })),
  ],
  [
    'returns a row where there is none',
    'order',
    'There is a row of 0 bytes () instead of no row.',
    loading(({ now, rows }) => ({
      now,
      rows: rows.map((row) => row ?? { version: undefined, bytes: new Uint8Array() }),
    })),
  ],
  [
    'returns a row where there is none, if it loads one alone',
    'order',
    'There is a row of 0 bytes () instead of no row.',
    loading(({ now, rows }) => ({
      now,
      rows:
        rows.length === 1 && rows[0] === undefined
          ? [{ version: undefined, bytes: new Uint8Array() }]
          : rows,
    })),
  ],
  [
    'returns a row where there is none, if it loads several',
    'order',
    'There is a row of 0 bytes () instead of no row.',
    loading(({ now, rows }) => ({
      now,
      rows: rows.map((row) =>
        rows.length > 1 ? (row ?? { version: undefined, bytes: new Uint8Array() }) : row,
      ),
    })),
  ],
  [
    'is made without a check of an empty list',
    'ping',
    'It rejected: syntax error',
    ({ map }) => ({
      async load(keys) {
        if (keys.length === 0) throw new Error('syntax error at or near ")"')
        return map.load(keys)
      },
    }),
  ],
  [
    'fails to load a key with an apostrophe',
    'text',
    'It rejected: unterminated string',
    ({ map }) => ({
      async load(keys) {
        if (keys.some((key) => key.includes("'"))) throw new Error('unterminated string')
        return map.load(keys)
      },
    }),
  ],
  [
    'fails to save a key with an apostrophe',
    'text',
    'It rejected: unterminated string',
    ({ map }) => ({
      async save(groups, span) {
        if (groups.flat().some(({ key }) => key.includes("'")))
          throw new Error('unterminated string')
        return map.save(groups, span)
      },
    }),
  ],
  [
    'reads at most 100 keys',
    'load',
    'It loaded 100 of 256 rows.',
    loading(({ now, rows }) => ({ now, rows: rows.map((row, i) => (i < 100 ? row : undefined)) })),
  ],
  ['ignores case', 'sameKey', taken, naming((key) => key.toLowerCase())],
  [
    'ignores accents',
    'sameKey',
    taken,
    naming((key) => key.normalize('NFD').replaceAll(/\p{Mn}/gu, '')),
  ],
  ['normalizes keys', 'sameKey', taken, naming((key) => key.normalize('NFC'))],
  ['ignores spaces at the end', 'sameKey', taken, naming((key) => key.trimEnd())],
  ['cuts keys after 255 characters', 'sameKey', taken, naming((key) => key.slice(0, 255))],
  [
    'ignores spaces at the end when it loads',
    'sameKey',
    'instead of a row of 1 bytes',
    ({ map }) => ({ load: (keys) => map.load(keys.map((key) => key.trimEnd())) }),
  ],
  [
    'stores bytes as UTF-8',
    'bytes',
    'instead of a row of 256 bytes',
    storing((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
  ],
  [
    'keeps the bytes of a long row that is saved again',
    'bytes',
    'instead of a row of 256 bytes (255',
    changing((one, row) =>
      one.bytes?.length === 256 && row !== undefined ? { ...one, bytes: row.bytes } : one,
    ),
  ],
  [
    'cuts bytes to seven bits',
    'bytes',
    'instead of a row of 256 bytes (0 1',
    storing((bytes) => bytes.map((byte) => byte & 127)),
  ],
  [
    'cuts rows below 64 KiB',
    'bytes',
    'There is a row of 65535 bytes',
    storing((bytes) => bytes.slice(0, 65_535)),
  ],
  [
    'returns bytes as a list',
    'bytes',
    'The state of a row is [object Array], and not a Uint8Array.',
    loading((loaded) => ({
      ...loaded,
      rows: loaded.rows.map((row) => row && Object.assign({ ...row }, { bytes: [...row.bytes] })),
    })),
  ],
  [
    'leaves out a row that it cannot read',
    'unreadable',
    'There is no row instead of a row of 0 bytes',
    loading((loaded) => ({
      ...loaded,
      rows: loaded.rows.map((row) => (row?.bytes.length === 0 ? undefined : row)),
    })),
  ],
  [
    'returns no state of a call with a row that it cannot read',
    'unreadable',
    'There is a row of 0 bytes () instead of a row of 1 bytes (1)',
    loading((loaded) => ({
      ...loaded,
      rows: loaded.rows.some((row) => row?.bytes.length === 0)
        ? loaded.rows.map((row) => row && { ...row, bytes: new Uint8Array() })
        : loaded.rows,
    })),
  ],
  [
    'replaces a row that it cannot read by a new one',
    'unreadable',
    'It saved a new row over one that was there.',
    withoutVersions(({ version }, row) => version === undefined && row?.bytes.length === 0),
  ],
  [
    'does not replace a row that it cannot read',
    'unreadable',
    'It did not replace the row by its version.',
    refusing((group, { map }) => group.some(({ key }) => map.rows.get(key)?.bytes.length === 0)),
  ],
]
