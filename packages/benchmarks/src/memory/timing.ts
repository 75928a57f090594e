import { allowedOf, type Decider } from './contender.js'

const group = 1000
const most = 300_000

/**
 * The processor's time for one decision, in nanoseconds, over a list of keys, all of which have to be allowed, or all denied. It leaves off where it
 * takes too long. By the clock on the wall it would be the time of everything else that the machine has to do, too.
 */
export async function nanosecondsOf(
  decider: Decider,
  keys: readonly string[],
  expected: boolean,
): Promise<number> {
  const startedAt = process.cpuUsage()
  let elapsed = 0
  let done = 0
  let allowed = 0
  while (done < keys.length && elapsed < most) {
    const next = Math.min(done + group, keys.length)
    const some = allowedOf(decider, keys, done, next)
    // To wait for what is there already would cost those something who answer at once.
    allowed += typeof some === 'number' ? some : await some
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
