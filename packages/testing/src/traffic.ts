import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@sluice/core/database'
import { expectThat } from './contract.js'
import { change, expectBytes, load, newKeys, save, saveOne } from './rows.js'
import type { DatabaseFactory, DefineTest } from './suite.js'

/** The time within which traffic on a few keys ends. If it does not, calls wait for each other. */
const patienceMs = 50_000

/** Several callers, on two instances. */
export function describeTraffic(make: DatabaseFactory, it: DefineTest): void {
  it('saves one of several changes by the same version', async () => {
    const instances = [await make(), await make()]
    const [key] = newKeys(1)
    let version: unknown
    for (let round = 0; round < 20; round++) {
      const given = version
      const calls = Array.from({ length: 8 }, (_, i) =>
        saveOne(instances[i % 2], key, given, Uint8Array.of(i)),
      )
      const versions = await Promise.all(calls)
      const saved = versions.flatMap((one, i) => (one === undefined ? [] : [i]))
      expectThat(saved.length < 2, 'whole', `Of 8 concurrent calls it saved ${saved.length}.`)
      // All of them may be conflicts of the database itself.
      if (saved.length === 0) continue
      version = versions[saved[0]]
      const [row] = await load(instances[0], [key])
      expectBytes(row, Uint8Array.of(saved[0]), 'whole')
    }
    expectThat(version !== undefined, 'conflict', 'In 20 rounds it did not save any of 8 calls.')
  })

  it('counts 1,000 of two instances exactly, in groups of two rows in opposite orders', async () => {
    const instances = [await make(), await make()]
    const pairs = Array.from({ length: 5 }, () => newKeys(2))
    const until = Date.now() + patienceMs
    const work = pairs.flatMap((pair) =>
      Array.from({ length: 4 }, async (_, i) => {
        const keys = i < 2 ? pair : pair.toReversed()
        for (let n = 0; n < 50; n++) await count(instances[i % 2], keys, until)
      }),
    )
    const isDone = Promise.all(work).then(() => Date.now() < until)
    const inTime = await Promise.race([isDone, delay(patienceMs, false, { ref: false })])
    expectThat(inTime, 'conflict', `The calls did not end within ${patienceMs} ms.`)
    for (const row of await load(instances[0], pairs.flat())) {
      expectBytes(row, bytesOf(200), 'whole')
    }
  })
}

/** Adds 1 to each row. */
async function count(database: Database, keys: readonly string[], until: number): Promise<void> {
  while (Date.now() < until) {
    const rows = await load(database, keys)
    // Without a pause, few calls of the two instances would overlap.
    await delay(Math.random() * 2)
    const changes = keys.map((key, i) =>
      change(key, rows[i]?.version, bytesOf(countOf(rows[i]?.bytes) + 1)),
    )
    const { groups } = await save(database, [changes])
    if (groups[0] !== undefined) return
    await delay(Math.random() * 5)
  }
}

function bytesOf(count: number): Uint8Array {
  return Uint8Array.of(count >> 8, count & 255)
}

function countOf(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : bytes[0] * 256 + bytes[1]
}
