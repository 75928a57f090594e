import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Span } from '@sluice/core/database'
import { expectReply, expectThat, type Sentence } from './contract.js'
import { always, change, expectRow, newKeys, save, saveOne } from './rows.js'
import type { DatabaseFactory, DefineTest } from './suite.js'

const minute = 60_000

/** The spans after and before a time. */
function spansOutside(now: number): Span[] {
  return [
    { from: now + minute, until: now + 2 * minute },
    { from: now - 2 * minute, until: now - minute },
  ]
}

/** The time of a database in whole milliseconds, as the store reads it. */
async function timeOf(database: Database): Promise<number> {
  return Math.floor((await database.load([])).now)
}

/** The clock of the database, the span of a save, and the ends of rows. */
export function describeTimes(make: DatabaseFactory, it: DefineTest): void {
  it('has the time of a clock, in milliseconds', async () => {
    const database = await make()
    const [key] = newKeys(1)
    const { now: before } = await database.load([key])
    await delay(50)
    const { now } = await save(database, [[change(key, undefined, Uint8Array.of(1))]])
    await delay(50)
    const { now: after } = await database.load([])
    const times = [before, now, after]
    expectThat(
      times.every((time) => Number.isFinite(time) && Math.abs(time - Date.now()) < minute),
      'time',
      `It is ${times.join(', ')}, and that of this process ${Date.now()}.`,
    )
    expectThat(
      ![before, after].every((time) => time % 1000 === 0),
      'time',
      `It is ${times.join(', ')}, which are whole seconds.`,
    )
    const steps = [now - before, after - now]
    expectThat(
      steps.every((step) => step >= 25 && step < minute),
      'time',
      `Two pauses of 50 ms took ${steps.join(' and ')} of it.`,
    )
  })

  it('does not save outside of the span', async () => {
    const database = await make()
    const now = await timeOf(database)
    const [key, other] = newKeys(2)
    const bytes = Uint8Array.of(1)
    for (const span of spansOutside(now)) {
      const alone = await saveOne(database, key, undefined, bytes, span)
      const changes = [change(key, undefined, bytes), change(other, undefined, bytes)]
      const pair = await save(database, [changes], span)
      expectThat(
        alone === undefined && pair.groups[0] === undefined,
        'span',
        `It is ${now}, and the span was from ${span.from} to ${span.until}.`,
      )
      await expectRow(database, key, undefined, 'span')
      await expectRow(database, other, undefined, 'span')
    }
    const span = { from: now, until: now + minute }
    const version = await saveOne(database, key, undefined, bytes, span)
    expectThat(version !== undefined, 'span', 'It did not save inside of the span.')
  })

  // A database can have a statement of its own for each of these changes, and for a row alone.
  for (const size of [1, 2]) {
    it(`does not change ${size === 1 ? 'a row' : 'two rows'} outside of the span`, async () => {
      const database = await make()
      const now = await timeOf(database)
      const [bytes, other] = [Uint8Array.of(1), Uint8Array.of(2)]
      const [keys, ended] = [newKeys(size), newKeys(size)]
      const made = await save(database, [
        keys.map((key) => change(key, undefined, bytes)),
        ended.map((key) => change(key, undefined, bytes, now - 1)),
      ])
      expectThat(!made.groups.includes(undefined), 'whole', 'It did not save new rows.')
      const versions = made.groups[0] ?? []
      const changes = {
        'saved over': keys.map((key, i) => change(key, versions[i], other)),
        deleted: keys.map((key, i) => change(key, versions[i], undefined)),
        replaced: ended.map((key) => change(key, undefined, other)),
      }
      for (const span of spansOutside(now)) {
        for (const [did, group] of Object.entries(changes)) {
          const saved = await save(database, [group], span)
          const seen = `It ${did} ${size === 1 ? 'a row' : 'two rows'} outside of the span.`
          expectThat(saved.groups[0] === undefined, 'span', seen)
        }
      }
      for (const key of keys) await expectRow(database, key, bytes, 'span')
    })
  }

  it('saves in the first and in the last millisecond of the span', async () => {
    const database = await make()
    for (const end of ['first', 'last'] as const) {
      const saves: boolean[] = []
      for (let i = 0; i < 20; i++) {
        const [key] = newKeys(1)
        const now = await timeOf(database)
        const first = { from: now, until: now + minute }
        const span = end === 'first' ? first : { from: now - minute, until: now }
        const saved = await save(database, [[change(key, undefined, Uint8Array.of(1))]], span)
        // A call that takes longer shows nothing.
        if (saved.now === now) saves.push(saved.groups[0] !== undefined)
      }
      expectThat(
        saves.length < 3 || saves.includes(true),
        'bounds',
        `In the ${end} millisecond of the span it did not save.`,
      )
    }
  })

  it('keeps a row until its end', async () => {
    const database = await make()
    const now = await timeOf(database)
    const [ending, extended] = newKeys(2)
    const bytes = Uint8Array.of(1)
    await save(database, [
      [change(ending, undefined, bytes, now + minute)],
      [change(extended, undefined, bytes, now + 1000)],
    ])
    const [row] = (await database.load([extended])).rows
    await save(database, [[change(extended, row?.version, bytes, now + minute)]], always)
    for (let i = 0; i < 20; i++) {
      if (database.clean !== undefined) await expectReply(database.clean(), 'clean')
    }
    await expectRow(database, ending, bytes, 'ends')
    await expectRow(database, extended, bytes, 'ends')
  })

  it('keeps a row until the last millisecond before its end', async () => {
    const database = await make()
    const start = await timeOf(database)
    const bytes = Uint8Array.of(1)
    const groups = [300, 600, 900, 1200, 1500].map((lengthMs, i) => ({
      lengthMs,
      endsAt: start + lengthMs,
      keys: newKeys(1 + (i % 2)),
    }))
    for (const { keys, endsAt } of groups) {
      await save(database, [keys.map((key) => change(key, undefined, bytes, endsAt))])
    }
    /** The time after a reply, which may have a time from before it looked at the rows. */
    const expectEnded = async (endsAt: number, sentence: Sentence, seen: string): Promise<void> => {
      const { now } = await database.load([])
      expectThat(now >= endsAt, sentence, `${seen} ${endsAt - now} ms before its end.`)
    }
    const began = performance.now()
    for (let left = groups; left.length > 0 && performance.now() - began < minute / 2;) {
      if (database.clean !== undefined) await expectReply(database.clean(), 'clean')
      const { now, rows } = await database.load(left.flatMap(({ keys }) => keys))
      const loaded = [...rows]
      for (const { keys, endsAt, lengthMs } of left) {
        const isGone = loaded.splice(0, keys.length).includes(undefined)
        if (isGone) await expectEnded(endsAt, 'ends', `A row of ${lengthMs} ms was gone`)
      }
      left = left.filter(({ endsAt }) => now < endsAt)
      for (const { keys, endsAt } of left) {
        const changes = keys.map((key) => change(key, undefined, Uint8Array.of(2), endsAt))
        const isSaved = (await save(database, [changes])).groups[0] !== undefined
        if (isSaved) await expectEnded(endsAt, 'ended', 'It replaced a row by no version')
      }
      await delay(10)
    }
  })

  // A row alone, and rows of a group, can be saved in different ways.
  for (const count of [1, 2]) {
    it(`replaces ${count === 1 ? 'a row that has' : 'rows that have'} ended by new ones, whether or not they were deleted`, async () => {
      const database = await make()
      const now = await timeOf(database)
      const keys = newKeys(count)
      const changesTo = (byte: number, endsAt: number, versions: readonly unknown[] = []) => [
        keys.map((key, i) => change(key, versions[i], Uint8Array.of(byte), endsAt)),
      ]
      const {
        groups: [ended],
      } = await save(database, changesTo(1, now - 1))
      expectThat(ended !== undefined, 'whole', 'It did not save rows where there were none.')
      const { groups: replaced } = await save(database, changesTo(2, now + minute))
      expectThat(replaced[0] !== undefined, 'ended', 'It did not replace a row that had ended.')
      for (const key of keys) await expectRow(database, key, Uint8Array.of(2), 'ended')
      for (const [versions, name] of [
        [ended, 'the version of the row that was replaced'],
        [undefined, 'no version, although the row had not ended'],
      ] as const) {
        const { groups } = await save(database, changesTo(3, now + minute, versions))
        expectThat(groups[0] === undefined, 'ended', `It saved a row by ${name}.`)
      }
      for (const key of keys) await expectRow(database, key, Uint8Array.of(2), 'ended')
    })
  }
}
