/** A moment in milliseconds that means the same in every process of this machine, and never steps. */
export function moment(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** A time in which this process would have gone on, and did not. */
export interface Stall {
  readonly from: number
  readonly to: number
  /** How much of it the machine gave to others: late, and not busy. */
  readonly machineMs: number
}

const everyMs = 5

/** So little says nothing: timers are that rough. */
const leastMs = 2

/**
 * Notes each time that a timer came late. What this process spent working is its own fault and does not count: what is left is the machine's,
 * which had other things to do.
 */
export function watchStalls(): Stall[] {
  const stalls: Stall[] = []
  let from = moment()
  let cpu = process.cpuUsage()
  setInterval(() => {
    const to = moment()
    const { user, system } = process.cpuUsage(cpu)
    const machineMs = to - from - everyMs - (user + system) / 1000
    if (machineMs > leastMs) stalls.push({ from, to, machineMs })
    from = to
    cpu = process.cpuUsage()
  }, everyMs).unref()
  return stalls
}

/** How much of a time the machine took for itself, by what several processes noted: what they noted at the same time counts once. */
export function stalledMs(stalls: readonly Stall[], start: number, end: number): number {
  const seen = stalls.filter(({ from, to }) => from < end && to > start)
  const edges = seen.flatMap(({ from, to }) => [Math.max(from, start), Math.min(to, end)])
  edges.sort((a, b) => a - b)
  let sum = 0
  for (const [i, edge] of edges.slice(1).entries()) {
    const shares = seen
      .filter(({ from, to }) => from <= edges[i] && to >= edge)
      .map(({ from, to, machineMs }) => machineMs / (to - from))
    sum += Math.max(0, ...shares) * (edge - edges[i])
  }
  return sum
}
