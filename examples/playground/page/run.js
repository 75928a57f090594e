import { createLimiter, unlimited } from '@sluice/core'
import { hasGrants, policyOf } from './policies.js'

/** The cost of one request for the meter. A level in hundredths of a request makes a smooth line. */
const fine = 100

/** The core, for one client, at a given time. The first limiter decides. A second one with the same policy in hundredths reads the level. */
export function createRun() {
  let now = 0
  const policies = unlimited()
  const limiter = createLimiter({ name: 'run', policies, clock: () => now })
  const meter = createLimiter({ name: 'meter', policies, clock: () => now })
  const held = []
  let granted = 0

  function decide(at, policy) {
    now = at
    const decision = limiter.consume('visitor', { policies: policy })
    if (decision.allowed) {
      const measured = meter.consume('visitor', { policies: inHundredths(policy), cost: fine })
      if (decision.lease !== undefined) held.push([decision.lease, measured.lease])
    }
    const { granted: left } = decision.policies.default
    const isGranted = left < granted
    granted = left ?? 0
    return { ...decision, isGranted }
  }

  /** Gives the client units beside its quota for a minute. */
  function grant(at, policy, units) {
    now = at
    limiter.grant('visitor', units, { for: '1m', policies: policy })
    granted = units
  }

  /** Ends the request that has been running for longest. */
  function release(at) {
    now = at
    for (const lease of held.shift() ?? []) lease.release()
  }

  /** How full it is, and how full it can be, in requests. */
  function level(at, policy) {
    now = at
    const [decision] = meter.peekMany([{ key: 'visitor', cost: 0, policies: inHundredths(policy) }])
    if (policy.kind === 'leakyQueue') {
      const { leak, every, maxDelay } = policy
      // One of the requests in the backlog does not wait: it has just started.
      const waiting = Math.max(0, (decision.resetMs * leak) / every - 1)
      return { level: waiting, full: (maxDelay * leak) / every }
    }
    const left = decision.remaining / fine
    const full = decision.limit / fine
    return { level: policy.kind === 'tokenBucket' ? left : full - left, full }
  }

  return { decide, grant, release, level }
}

const counted = ['limit', 'burst', 'capacity', 'refill', 'leak', 'initial']

function inHundredths(policy) {
  const scaled = counted.filter((option) => option in policy)
  return {
    ...policy,
    ...Object.fromEntries(scaled.map((option) => [option, policy[option] * fine])),
  }
}

/** The level at which an algorithm denies, in requests. */
export function fullLevel(algorithm, numbers) {
  return createRun().level(0, policyOf(algorithm, numbers)).full
}

/** Plays traffic through an algorithm in virtual time: the decision of each request, and the level over time. */
export function play(algorithm, numbers, moments, length) {
  const policy = policyOf(algorithm, numbers)
  const windowMs = numbers.window * 1000
  // Windows on the clock begin with the chart.
  const start = windowMs * 1_000_000
  const run = createRun()
  if (hasGrants(algorithm) && numbers.granted > 0) run.grant(start, policy, numbers.granted)
  const requests = []
  const levels = []
  const read = (t) => levels.push({ t, ...run.level(start + t, policy) })

  const steps = moments.map((t) => ({ t, type: 'request' }))
  for (let t = 0; t <= length; t += length / 900) steps.push({ t: Math.floor(t), type: 'reading' })
  steps.sort((a, b) => a.t - b.t)
  while (steps.length > 0) {
    const { t, type } = steps.shift()
    read(t)
    if (type === 'release') run.release(start + t)
    if (type === 'request') request(t)
    read(t)
  }

  function request(t) {
    const { allowed, isGranted, delayMs, lease } = run.decide(start + t, policy)
    requests.push({ t, allowed, isGranted, delayMs })
    if (lease === undefined) return
    const until = t + numbers.work * 1000
    const at = steps.findIndex((step) => step.t >= until)
    steps.splice(at === -1 ? steps.length : at, 0, { t: until, type: 'release' })
  }

  return { requests, levels, length, windowMs, worst: worst(requests, windowMs) }
}

/** The interval of one window in which most requests started. */
function worst(requests, windowMs) {
  const started = requests.filter(({ allowed }) => allowed).map(({ t, delayMs }) => t + delayMs)
  let found = { from: 0, count: 0 }
  for (const from of started) {
    const count = started.filter((t) => t >= from && t < from + windowMs).length
    if (count > found.count) found = { from, count }
  }
  return found
}
