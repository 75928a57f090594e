import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import type { Change, Database, Loaded, Saved, Span } from '@sluice/core/database'
import type { Sentence } from '../../src/contract.js'

/** The data of one test, which several instances share. */
export class Data {
  readonly map: MapDatabase = new MapDatabase()
  isClosed = false
}

/** Makes an instance of a database with one fault. */
export type MakeFaulty = (data: Data) => Partial<Database>

/** A fault; the sentence of the contract that it breaks; and a part of the failure that has to find it, so that each expectation of the tests has a fault of its own. */
export type Fault = readonly [fault: string, sentence: Sentence, brokenBy: string, make: MakeFaulty]

export type Groups = readonly (readonly Change[])[]

/** Replaces what a database replies to `load`. */
export function loading(change: (loaded: Loaded, keys: readonly string[]) => Loaded): MakeFaulty {
  return ({ map }) => ({ load: async (keys) => change(await map.load(keys), keys) })
}

/** Changes what a database is asked to save. */
export function saving(
  change: (groups: Groups, span: Span, data: Data) => Parameters<Database['save']>,
): MakeFaulty {
  return (data) => ({ save: (groups, span) => data.map.save(...change(groups, span, data)) })
}

/** Replaces what a database replies to `save`. */
export function replying(change: (saved: Saved, groups: Groups) => Saved): MakeFaulty {
  return ({ map }) => ({
    save: async (groups, span) => change(await map.save(groups, span), groups),
  })
}

/** Changes each row that a database is asked to save. */
export function changing(
  change: (one: Change, row: MapRow | undefined, group: readonly Change[]) => Change,
): MakeFaulty {
  return saving((groups, span, { map }) => [
    groups.map((group) => group.map((one) => change(one, map.rows.get(one.key), group))),
    span,
  ])
}

/** Gives each of these changes the version that the row has. */
export function withoutVersions(
  isAffected: (one: Change, row: MapRow | undefined, group: readonly Change[]) => boolean,
): MakeFaulty {
  return changing((one, row, group) =>
    isAffected(one, row, group) ? { ...one, version: row?.version } : one,
  )
}

/** Does not save these groups. */
export function refusing(isRefused: (group: readonly Change[], data: Data) => boolean): MakeFaulty {
  return (data) => ({
    async save(groups, span) {
      const refused = groups.map((group) => isRefused(group, data))
      const { now, groups: saved } = await data.map.save(
        groups.filter((_, i) => !refused[i]),
        span,
      )
      const left = [...saved]
      return { now, groups: refused.map((one) => (one ? undefined : left.shift())) }
    },
  })
}

/** Writes these rows of the groups that a database does not save. */
export function writingRefused(
  isWritten: (one: Change, row: MapRow | undefined) => boolean,
): MakeFaulty {
  return ({ map }) => ({
    async save(groups, span) {
      const saved = await map.save(groups, span)
      const refused = groups.filter((_, g) => saved.groups[g] === undefined).flat()
      const written = refused.filter((one) => isWritten(one, map.rows.get(one.key)))
      await map.save(
        written.map((one) => [{ ...one, version: map.rows.get(one.key)?.version }]),
        span,
      )
      return saved
    },
  })
}
