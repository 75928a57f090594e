import { fork } from 'node:child_process'
import { once } from 'node:events'
import { limit } from './policies.js'
import type { Tally, Task } from './worker.js'

/** What became of one policy's run. */
export interface Figures {
  readonly decisions: number
  readonly keys: number
  readonly admitted: number
  /** What the limit allows, given who asked how often. */
  readonly expected: number
  /** Of how many keys more, or fewer, were admitted. */
  readonly wrong: number
  readonly local: number
  readonly away: number
  readonly seconds: number
}

// The compiled file, even if vitest runs this one from its source.
const worker = new URL('../../dist/exactness/worker.js', import.meta.url)

/** Lets several processes ask for the same keys at once, and compares what they were given with the limit, key by key. */
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
  const admitted = sumOf(tallies.map((tally) => tally.admitted))
  const expected = [...asked].map(([key, count]) => [key, Math.min(count, limit)] as const)
  return {
    decisions: total(asked.values()),
    keys: asked.size,
    admitted: total(admitted.values()),
    expected: total(expected.map(([, count]) => count)),
    wrong: expected.filter(([key, count]) => (admitted.get(key) ?? 0) !== count).length,
    local: total(tallies.map(({ local }) => local)),
    away: total(tallies.map(({ away }) => away)),
    seconds: (performance.now() - began) / 1000,
  }
}

async function tallyOf(task: Task): Promise<Tally> {
  const child = fork(worker, [JSON.stringify(task)])
  const exit = once(child, 'exit')
  const [message] = await Promise.race([
    once(child, 'message'),
    exit.then(([code]): never => {
      throw new Error(`a worker ended with ${String(code)}`)
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
