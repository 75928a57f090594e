/** The time in milliseconds on a monotonic clock that all processes of this machine share. */
export function moment(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** A period in which this process could not run. */
export interface Stall {
  readonly from: number
  readonly to: number
  /** How much of it other processes used the CPU: the timer was late and this process was not busy. */
  readonly machineMs: number
}

const everyMs = 5

/** Shorter delays are within the precision of timers. */
const leastMs = 2

/**
 * Records each late timer. The CPU time of this process itself does not count. The rest of the delay is the time in which the machine ran other
 * processes.
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

/** How much of a period the machine ran other processes, by the records of several processes. Overlapping records count once. */
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
