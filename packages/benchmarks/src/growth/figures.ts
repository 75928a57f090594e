import type { Entrant } from '../processes/in-turns.js'
import { floor } from './subject.js'

/** One plot: how a cost grows with x. */
export interface Figure {
  readonly name: string
  readonly title: string
  readonly x: string
  readonly ticks: readonly number[]
  readonly y: string
  /** The figure of the measurement that the plot shows. */
  readonly reading: 'nanoseconds' | 'perSecond' | 'redisMicroseconds'
  readonly lines: readonly string[]
  entrant(line: string, x: number): Omit<Entrant, 'name'>
}

const one = new URL('./process.js', import.meta.url)
const several = new URL('./processes.js', import.meta.url)

/** Enough keys that a looked-up key is rarely in a cache of the CPU. Only one plot has the number of keys as x. */
const someKeys = 10_000

/** All plots. Redis listens on the port. */
export function figures(port: number, quick: boolean): readonly Figure[] {
  const inMemory = (...args: string[]) => ({
    program: one,
    // A Map of ten million keys needs that much.
    node: ['--max-old-space-size=6144'],
    args: ['--slice', '50000', ...args],
  })
  const overRedis = (...args: string[]) => ({
    program: one,
    args: ['--port', `${port}`, '--slice', quick ? '2000' : '10000', ...args],
  })
  return [
    {
      name: 'keys',
      title: 'Memory: the cost of a decision by the number of keys',
      x: 'keys',
      ticks: quick ? [1e3, 1e4, 1e5] : [1e3, 1e4, 1e5, 1e6, 1e7],
      y: '÷ a bare Map of 1000 keys',
      reading: 'nanoseconds',
      lines: [floor, 'slidingWindow', 'gcra'],
      entrant: (line, x) => inMemory('--line', line, '--keys', `${x}`),
    },
    {
      name: 'policies-memory',
      title: 'Memory: the cost of a decision by the number of policies',
      x: 'policies in one limiter',
      ticks: [1, 2, 4, 8],
      y: '÷ one bare Map',
      reading: 'nanoseconds',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'gcra'],
      entrant: (line, x) => inMemory('--line', line, '--policies', `${x}`, '--keys', `${someKeys}`),
    },
    {
      name: 'policies-redis',
      title: 'Redis: its CPU for a decision by the number of policies',
      x: 'policies in one limiter',
      ticks: [1, 2, 4, 8],
      y: '÷ one INCR',
      reading: 'redisMicroseconds',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'gcra'],
      entrant: (line, x) =>
        overRedis('--line', line, '--policies', `${x}`, '--keys', `${someKeys}`),
    },
    {
      name: 'limit-memory',
      title: 'Memory: the cost of a decision by the limit, half of it used',
      x: 'limit',
      ticks: [1e2, 1e3, 1e4, 1e5, 1e6],
      y: '÷ a bare Map',
      reading: 'nanoseconds',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'slidingLog', 'gcra'],
      entrant: (line, x) => inMemory('--line', line, ...halfUsed(x, 800_000, 500_000)),
    },
    {
      name: 'limit-redis',
      title: 'Redis: its CPU for a decision by the limit, half of it used',
      x: 'limit',
      ticks: [1e2, 1e3, 1e4, 1e5, 1e6],
      y: '÷ INCR',
      reading: 'redisMicroseconds',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'slidingLog', 'gcra'],
      entrant: (line, x) =>
        overRedis('--line', line, ...alone, ...halfUsed(x, 20_000, quick ? 2000 : 50_000)),
    },
    {
      name: 'processes',
      title: 'Redis: decisions per second of all processes together',
      x: 'processes',
      ticks: [1, 2, 4],
      y: '÷ INCR of one process',
      reading: 'perSecond',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'gcra'],
      entrant: (line, x) => ({
        program: several,
        args: [`${x}`, ...overRedis('--line', line, '--keys', `${someKeys}`).args],
      }),
    },
    {
      name: 'in-flight',
      title: 'Redis: decisions per second by how many are in flight',
      x: 'in flight on one connection',
      ticks: [1, 4, 16, 64, 256, 1024],
      y: '÷ INCR one at a time',
      reading: 'perSecond',
      lines: [floor, 'fixedWindow', 'slidingWindow', 'gcra'],
      entrant: (line, x) =>
        overRedis('--line', line, '--in-flight', `${x}`, '--keys', `${someKeys}`),
    },
  ]
}

/** One decision at a time: otherwise decisions on the same key in one batch would share the loading of its state, and a higher limit has fewer keys. */
const alone = ['--in-flight', '1', '--slice', '2000']

/** Keys that have used half of a limit, in at most `mostEvents` events, and enough keys that the measured decisions do not use up the rest. */
function halfUsed(limit: number, decisions: number, mostEvents: number): readonly string[] {
  const keys = Math.max(1, Math.ceil((2 * decisions) / limit))
  const events = Math.min(limit / 2, mostEvents)
  return ['--limit', `${limit}`, '--keys', `${keys}`, '--events', `${events}`]
}
