import type { CountAllowed } from './contender.js'

const largestGroup = 1000

/**
 * The CPU time of one decision, in nanoseconds. All decisions must be allowed, or all denied. The measurement stops early after
 * `atMostMs` of CPU time. Wall-clock time would include other programs on the machine.
 */
export async function nanosecondsOf(
  decide: CountAllowed,
  keys: readonly string[],
  expected: boolean,
  atMostMs = 300,
): Promise<number> {
  const startedAt = process.cpuUsage()
  let elapsed = 0
  let done = 0
  let allowed = 0
  // The first groups are small, so that a library that needs a millisecond for a decision stops in time as well.
  for (let group = 10; done < keys.length && elapsed < atMostMs * 1000; group *= 2) {
    const next = Math.min(done + Math.min(group, largestGroup), keys.length)
    const counted = decide(keys, done, next)
    // An `await` on a number would cost time that a synchronous library does not need.
    allowed += typeof counted === 'number' ? counted : await counted
    done = next
    elapsed = microsecondsSince(startedAt)
  }
  if (allowed !== (expected ? done : 0)) throw new Error(`${allowed} of ${done} were allowed`)
  return (elapsed * 1000) / done
}

function microsecondsSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier)
  return user + system
}
