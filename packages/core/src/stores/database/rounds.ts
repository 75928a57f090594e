import { processTime, type ServerClock } from '../../clock.js'
import { warn, type SluiceError } from '../../errors.js'
import { failureOf, hasFailed } from '../pending.js'
import type { Answer } from '../store.js'
import type { Change, Database, Saved } from './database.js'
import { decide as decideGroup, type DecidedGroup } from './decided-group.js'
import { groupsOf, type Group, type Item } from './groups.js'
import { readRow, type RowChange } from './loaded-rows.js'
import type { RememberedRows } from './remembered-rows.js'

export interface RoundsSettings {
  readonly database: Database
  readonly clock: ServerClock
  readonly remembered: RememberedRows
  /** Called after each save whose reply was in time for a request, also if nothing was saved. */
  noteReply(): void
  /** The error of a request whose time is over. */
  lateError(item: Item): SluiceError
  /** Answers some requests: those that a reply of the database, or an error, has settled. */
  settle(items: readonly Item[], answers: readonly Answer[]): void
}

/** The longest pause before groups are loaded again that the database did not save. */
const longestPauseMs = 8

/** One save in this many deletes some rows that have ended. */
const savesPerClean = 100

/**
 * Decides the requests of one call, in rounds. A round loads the rows of some groups, and saves others that are decided. The groups that a save has found changed
 * are decided again by their current rows, until they are saved or their time is over.
 */
export function createRounds(settings: RoundsSettings): (items: readonly Item[]) => Promise<void> {
  const { database, clock, remembered, noteReply, lateError, settle } = settings
  /** Whether a reply has told the time of the database. */
  let isTimed = false
  let isCleaning = false

  /** Returns the reply to a call, and its time in whole milliseconds. */
  async function timed<T extends { readonly now: number }>(
    call: () => Promise<T>,
  ): Promise<readonly [reply: T, now: number]> {
    const sentAt = processTime.monotonic()
    const reply = await call()
    if (!Number.isFinite(reply.now)) throw new TypeError(`it returned ${reply.now} as its time`)
    const now = Math.floor(reply.now)
    clock.learn(sentAt, processTime.monotonic(), now)
    isTimed = true
    return [reply, now]
  }

  /** Opens the groups of a call: with the remembered rows, if there is a time to decide them by. */
  function open(items: readonly Item[]): Group[] {
    const groups = groupsOf(items)
    if (!isTimed || !remembered.isUsed) return groups
    // Both clocks are cut to whole milliseconds, so the estimate can be one ahead.
    let now = clock.at(processTime.monotonic()) - 1
    for (const { keys } of groups) {
      for (const key of keys) now = Math.max(now, remembered.decidedAt(key))
    }
    // All groups of a save have one span, which begins at the time by which they were decided.
    for (const group of groups) {
      group.rows = new Map(group.keys.map((key) => [key, remembered.get(key, now)]))
      group.now = now
      group.isGuess = true
    }
    return groups
  }

  async function load(groups: readonly Group[]): Promise<readonly Group[]> {
    if (groups.length === 0) return groups
    const keys = groups.flatMap((group) => group.keys)
    try {
      const [loaded, now] = await timed(() => database.load(keys))
      const rows = new Map(keys.map((key, i) => [key, readRow(loaded.rows[i])]))
      for (const [key, row] of rows) remembered.set(key, row, now)
      for (const group of groups) {
        group.rows = rows
        group.now = now
        group.isGuess = false
      }
      return groups
    } catch (error) {
      fail(groups, error)
      return []
    }
  }

  /** Decides groups whose rows are there. Returns those that remain open. */
  async function decide(groups: readonly Group[]): Promise<readonly Group[]> {
    const open: Group[] = []
    const decided: DecidedGroup[] = []
    for (const group of groups) {
      const result = decideGroup(database.name, group)
      const { changes } = result
      // A save shows whether the rows that it changes are the current ones. Another process can have changed the others since they were remembered: it can
      // have refunded what such a row denies, or shortened a row that would be too long.
      if (group.isGuess && changes.length < group.keys.length) {
        group.rows = undefined
        open.push(group)
      } else if (changes.length > 0) decided.push(result)
      else answer(result)
    }
    return decided.length === 0 ? open : [...open, ...(await save(decided))]
  }

  async function save(decided: readonly DecidedGroup[]): Promise<readonly Group[]> {
    const groups = decided.map(({ group }) => group)
    const from = Math.max(...groups.map(({ now }) => now))
    const due = Math.min(...groups.flatMap(({ items }) => items.map(({ dueAt }) => dueAt)))
    const span = { from, until: Math.max(from, clock.at(due) + 1) }
    let saved: Saved
    let now: number
    try {
      ;[saved, now] = await timed(() =>
        database.save(
          decided.map(({ changes }) => changes.map(changeOf)),
          span,
        ),
      )
    } catch (error) {
      fail(groups, error)
      return []
    }
    if (groups.some(({ items }) => items.some(({ pending }) => !pending.isAnswered))) noteReply()
    const open = decided.filter((one, i) => !settleSaved(one, saved.groups[i]))
    for (const { group } of open) retry(group, saved, now)
    clean()
    return open.map(({ group }) => group)
  }

  /** Answers a group that was saved, and returns whether it was. */
  function settleSaved(one: DecidedGroup, versions: readonly unknown[] | undefined): boolean {
    if (versions === undefined) return false
    const { group, changes } = one
    changes.forEach(({ change: { key, bytes, endsAt }, parts }, i) => {
      const row = bytes && { version: versions[i], parts, size: bytes.length }
      remembered.set(key, row, group.now, endsAt)
    })
    answer(one)
    return true
  }

  function answer({ group, answers }: DecidedGroup): void {
    const errors = answers.filter(hasFailed)
    // The database has replied, so the breaker must not open.
    if (errors.length > 0) noteReply()
    for (const error of errors) if (error.code === 'SLUICE_STORE_DAMAGED') warn(error)
    settle(group.items, answers)
  }

  /** Takes the current rows from the reply, if it has all of them. */
  function retry(group: Group, { rows }: Saved, now: number): void {
    const hasAll = rows !== undefined && group.keys.every((key) => rows.has(key))
    const known = new Map(group.keys.map((key) => [key, readRow(rows?.get(key))]))
    group.rows = hasAll ? known : undefined
    group.now = now
    group.isGuess = false
    group.isAgain = true
    for (const item of group.items) item.hasConflicted = true
    for (const [key, row] of known) remembered.set(key, row, now)
  }

  function fail(groups: readonly Group[], cause: unknown): void {
    const items = groups.flatMap((group) => group.items)
    const error = failureOf(database.name, cause)
    if (error.code === 'SLUICE_STORE_REFUSED') warn(error)
    settle(
      items,
      items.map(() => error),
    )
  }

  /** The groups without the requests whose time is over. Those of a refund remain. */
  function inTime(groups: readonly Group[]): Group[] {
    const now = processTime.monotonic()
    const late = groups.flatMap(({ items }) => items.filter(({ dueAt }) => dueAt <= now))
    if (late.length === 0) return [...groups]
    settle(late, late.map(lateError))
    return groups.flatMap((group) => {
      const items = group.items.filter(({ dueAt }) => dueAt > now)
      return items.length === 0 ? [] : [Object.assign(group, { items })]
    })
  }

  function clean(): void {
    if (database.clean === undefined || isCleaning || Math.random() * savesPerClean >= 1) return
    isCleaning = true
    // A failure is not that of a request, and the next save that fails reports its cause.
    const ended = (): boolean => (isCleaning = false)
    // It can be a function of an application, which throws or returns no promise.
    Promise.resolve()
      .then(() => database.clean?.())
      .then(ended, ended)
  }

  return async function run(items) {
    let groups = open(items)
    try {
      while (groups.length > 0) {
        const ready = groups.filter(({ rows }) => rows !== undefined)
        const absent = groups.filter(({ rows }) => rows === undefined)
        // Without the current rows the database is busy. With them, a pause would only give way to other processes.
        if (absent.some(({ isAgain }) => isAgain)) await pause(Math.random() * longestPauseMs)
        const [decided, loaded] = await Promise.all([decide(ready), load(absent)])
        groups = inTime([...decided, ...loaded])
      }
    } catch (error) {
      // A reply that is not of the form of the contract.
      fail(groups, error)
    }
  }
}

function changeOf({ change }: RowChange): Change {
  return change
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
