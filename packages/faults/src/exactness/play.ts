import { fork } from 'node:child_process'
import { once } from 'node:events'
import { limit } from './policies.js'
import type { Tally, Task } from './worker.js'

/** The result of one policy. */
export interface Figures {
  readonly decisions: number
  readonly keys: number
  readonly allowed: number
  /** The units that the limit allows, given the number of requests for each key. */
  readonly expected: number
  /** The number of keys with more or fewer allowed units. */
  readonly wrong: number
  readonly local: number
  readonly withoutServer: number
  readonly seconds: number
}

// The compiled file, even if vitest runs this file from its source.
const worker = new URL('../../dist/exactness/worker.js', import.meta.url)

/** Lets several processes consume for the same keys at once and compares the allowed units with the limit, for each key. */
export async function play(
  processes: number,
  task: Omit<Task, 'seed' | 'decisions'>,
  decisions: number,
): Promise<Figures> {
  const began = performance.now()
  const each = Math.ceil(decisions / processes)
  const tallies = await Promise.all(
    Array.from({ length: processes }, async (_, seed) =>
      tallyOf({ ...task, seed, decisions: each }),
    ),
  )
  const asked = sumOf(tallies.map((tally) => tally.asked))
  const allowed = sumOf(tallies.map((tally) => tally.allowed))
  const expected = [...asked].map(([key, count]) => [key, Math.min(count, limit)] as const)
  return {
    decisions: total(asked.values()),
    keys: asked.size,
    allowed: total(allowed.values()),
    expected: total(expected.map(([, count]) => count)),
    wrong: expected.filter(([key, count]) => (allowed.get(key) ?? 0) !== count).length,
    local: total(tallies.map(({ local }) => local)),
    withoutServer: total(tallies.map(({ withoutServer }) => withoutServer)),
    seconds: (performance.now() - began) / 1000,
  }
}

async function tallyOf(task: Task): Promise<Tally> {
  const child = fork(worker, [JSON.stringify(task)])
  const exit = once(child, 'exit')
  // A message can arrive after the exit, but not after this event.
  const disconnect = once(child, 'disconnect')
  const [message] = await Promise.race([
    once(child, 'message'),
    disconnect.then((): never => {
      throw new Error(`a worker ended without a result, with ${String(child.exitCode)}`)
    }),
  ])
  await exit
  return message
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const count of counts) {
    for (const [key, value] of Object.entries(count)) sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return sums
}

function total(numbers: Iterable<number>): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}
