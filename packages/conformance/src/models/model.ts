/** Units that were let in at a moment. */
export interface Admission {
  readonly at: number
  readonly cost: number
}

/** What a policy means, said from first principles over the list of everything that it ever admitted. */
export interface Meaning {
  /** How many units there are in all. */
  readonly quota: number
  /**
   * Whether the definition lets a request of this cost in at this moment. Once it does, it must go on doing so until something else
   * is admitted, and it must let in any smaller cost as well: the waits are searched for on that ground.
   */
  fits(admissions: readonly Admission[], at: number, cost: number): boolean
}

/** The fields of a verdict that every kind of policy has. */
export interface ModelAnswer {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly retryAfterMs: number | null
  readonly nextMs: number
  readonly resetMs: number
}

/** A slow, obviously right form of one policy on one key. Its clock must not step back: the definitions do not say what that means. */
export interface Model {
  consume(now: number, cost: number): ModelAnswer
  peek(now: number, cost: number): ModelAnswer
}

export function createModel({ quota, fits }: Meaning): Model {
  const admissions: Admission[] = []
  let latest = 0

  function admits(at: number, cost: number): boolean {
    return quota > 0 && cost <= quota && fits(admissions, at, cost)
  }

  function remaining(at: number): number {
    return quota === 0 ? 0 : leastFrom(0, (cost) => !admits(at, cost + 1))
  }

  function waitFor(now: number, cost: number): number {
    return leastFrom(0, (wait) => admits(now + wait, cost))
  }

  function answer(now: number, cost: number, taken: boolean): ModelAnswer {
    const left = remaining(now)
    const allowed = taken || admits(now, cost)
    const never = quota === 0 || cost > quota
    return {
      allowed,
      limit: quota,
      remaining: left,
      retryAfterMs: allowed ? 0 : never ? null : waitFor(now, cost),
      nextMs: left === quota ? 0 : waitFor(now, left + 1),
      resetMs: quota === 0 ? 0 : waitFor(now, quota),
    }
  }

  function advance(now: number): void {
    if (now < latest)
      throw new RangeError(`the model's clock stepped back from ${latest} to ${now}`)
    latest = now
  }

  return {
    consume(now, cost) {
      advance(now)
      const taken = admits(now, cost)
      if (taken) admissions.push({ at: now, cost })
      return answer(now, cost, taken)
    },
    peek(now, cost) {
      advance(now)
      return answer(now, cost, false)
    },
  }
}

/** The least whole number from `start` on for which `holds`, given that it goes on to hold after that: galloping, then bisection. */
function leastFrom(start: number, holds: (n: number) => boolean): number {
  if (holds(start)) return start
  let below = start
  let step = 1
  while (!holds(below + step)) {
    below += step
    step *= 2
    if (step > 2 ** 52) throw new RangeError('the model waits for what never comes')
  }
  let above = below + step
  while (above - below > 1) {
    const middle = below + Math.floor((above - below) / 2)
    if (holds(middle)) above = middle
    else below = middle
  }
  return above
}
