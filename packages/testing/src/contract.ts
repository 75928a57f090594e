import { AssertionError } from 'node:assert'

/** The sentences of the contract `Database`, as its comments have them. Each failure names the one that the database breaks. */
export const contract = {
  text: 'A key is well-formed text of at most 1,000 bytes in UTF-8, without U+0000.',
  sameKey:
    'Two keys are the same only if all their bytes are: neither their case nor spaces at their end may be ignored.',
  bytes: 'A row has at most 64 KiB, with bytes of any value.',
  load: 'Reads the rows of different keys, up to 256, and the time.',
  ping: 'Without keys it answers whether the database is available.',
  order: 'The rows in the order of the keys. Undefined: there is no row.',
  time: 'The time of the database, in milliseconds since the epoch.',
  unreadable:
    'The state that was saved, or no bytes if the database cannot read it: as an absent row, it would allow every request.',
  version:
    'It is never the version of another state of the same key, not even after the row was deleted and made again.',
  loadedVersion:
    'The version that was loaded or saved last. Undefined: there was no row, or it has ended.',
  deletes: 'The new state. Undefined: the row is deleted.',
  whole:
    'Saves each group whole if all its rows still have the versions that were loaded, or else does not change any of them.',
  others: 'A group does not depend on the other groups of the call.',
  span: 'Outside of the span nothing is saved.',
  bounds:
    'The times of the database between which a save is valid, both included, in milliseconds since the epoch.',
  conflict:
    'A conflict that the database itself reports (a serialization failure, a deadlock, the lock of a row that is not free) is a group that was not saved.',
  newVersions:
    'For each group the new versions of its changes, in their order. Undefined: the group was not saved.',
  currentRows:
    'The current rows of the groups that were not saved, by key, if the database can return them in the same round trip.',
  ended:
    'From this time of the database on, the row may be deleted, and a change without a version replaces it, with a version of its own.',
  ends: 'Before it, no row may disappear.',
  clean: 'Deletes some rows that have ended.',
  close:
    'Releases what the database itself has opened. A client that the application has passed stays open.',
} as const

/** A sentence of the contract. */
export type Sentence = keyof typeof contract

/**
 * Checks what a sentence of the contract says.
 *
 * @param seen what the database did instead
 * @throws AssertionError if it is not so
 */
export function expectThat(holds: boolean, sentence: Sentence, seen: string): asserts holds {
  if (holds) return
  const message = `The database breaks its contract: "${contract[sentence]}" ${seen}`
  throw new AssertionError({ message, stackStartFn: expectThat })
}

/** Awaits a call, whose rejection breaks a sentence as well. */
export async function expectReply<T>(call: Promise<T>, sentence: Sentence): Promise<T> {
  try {
    return await call
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `The database breaks its contract: "${contract[sentence]}" It rejected: ${reason}`,
      { cause },
    )
  }
}
