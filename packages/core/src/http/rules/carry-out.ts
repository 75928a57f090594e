import { keepAlive } from '../../limiter/leases/keep-alive.js'
import type { Limiter } from '../../limiter/limiter.js'
import { delayRequest } from '../../limiter/waiting/delay-request.js'
import { after, rescued, together } from '../awaitable.js'
import { warnOfFailure } from '../guard/mistakes.js'
import { delayOfAll, delayOfDenial } from './delays.js'
import type { Ask, Consumption, Judgement, RuleDecision } from './judgement.js'
import { askedDecision, passedDecision, refusedDecision, type Part } from './rule-decision.js'

/** The parts that differ between a request over HTTP and one without it. */
export interface Surroundings {
  /** The object that the events of decisions carry. */
  readonly request?: unknown
  /** Runs work that delays the request. The signal ends it. Without this function nothing delays a request. */
  wait?<T>(work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>
  /** Called for each part that took units, also for a shadow part, when the request is allowed. */
  onTaken?(part: Part): void
}

/** A judgement that was carried out. */
export interface CarriedOut {
  readonly decision: RuleDecision
  /** The parts of `enforced` that the decision reports. */
  readonly enforced: readonly Part[]
}

/** Carries out the judgement of one request. If a part fails, all units are refunded, and the error is that of the request. */
export function carryOut(
  limiter: Limiter,
  judgement: Judgement,
  surroundings: Surroundings,
): CarriedOut | Promise<CarriedOut> {
  switch (judgement.type) {
    case 'pass':
      return { decision: passedDecision(judgement), enforced: [] }
    case 'refuse':
      return { decision: refusedDecision(judgement), enforced: [] }
    case 'ask':
      return askAll(limiter, judgement, surroundings)
  }
}

function askAll(
  limiter: Limiter,
  judgement: Ask,
  { request, wait, onTaken }: Surroundings,
): CarriedOut | Promise<CarriedOut> {
  const { enforced, tagging, shadow, lateShadow } = judgement
  /** The parts that have taken units. */
  const taken: Part[] = []
  let isAborted = false

  return rescued(
    () => after(enforceFrom(0), (denying) => (denying === undefined ? tagged() : denied(denying))),
    (error) => after(refundTaken(), () => rethrow(error)),
  )

  /** Asks the enforced consumptions in their order. Returns the part that denies. */
  function enforceFrom(at: number): Part | undefined | Promise<Part | undefined> {
    if (at === enforced.length) return undefined
    return after(decided(enforced[at], wait !== undefined), (part) => {
      if (!part.decision.allowed) return part
      taken.push(part)
      return enforceFrom(at + 1)
    })
  }

  function denied(part: Part): CarriedOut | Promise<CarriedOut> {
    const asked = enforced.slice(0, taken.length + 1)
    const parts = [part]
    const decision = askedDecision(judgement, { enforced: parts, tagging: [], asked })
    return after(refundTaken(), () => ({ decision, enforced: parts }))
  }

  function tagged(): CarriedOut | Promise<CarriedOut> {
    return after(delayed(), () => {
      const allowed = taken.slice()
      const answers = together(tagging, (consumption) =>
        rescued<Part | Failure>(
          () => decided(consumption, false),
          (error) => ({ error }),
        ),
      )
      askShadow()
      return after(answers, (all) => {
        const tags = all.filter(isPart)
        taken.push(...tags.filter(({ decision }) => decision.allowed))
        for (const answer of all) if (!isPart(answer)) rethrow(answer.error)
        if (onTaken !== undefined) for (const part of taken) onTaken(part)
        const parts = { enforced: allowed, tagging: tags }
        return { decision: askedDecision(judgement, parts), enforced: allowed }
      })
    })
  }

  function askShadow(): void {
    for (const consumption of shadow) shadowed(consumption)
    if (lateShadow === undefined) return
    void rescued<void>(
      () =>
        after(lateShadow, (late) => {
          for (const consumption of late) shadowed(consumption)
        }),
      () => {},
    )
  }

  /** Nothing of a shadow consumption reaches the request, not even its error. */
  function shadowed(consumption: Consumption): void {
    void rescued<void>(
      () =>
        after(decided(consumption, false), (part) => {
          if (part.decision.allowed) onTaken?.(part)
        }),
      () => {},
    )
  }

  function decided(consumption: Consumption, mayWait: boolean): Part | Promise<Part> {
    return rescued(
      () =>
        after(consumed(consumption, mayWait), (part) => {
          told(() => consumption.onDecision(part.decision))
          return part
        }),
      (error) => {
        if (!isAborted) told(() => consumption.onError(error))
        return rethrow(error)
      },
    )
  }

  function consumed(consumption: Consumption, mayWait: boolean): Part | Promise<Part> {
    const { keys, policies, cost, rules } = consumption
    const call = request === undefined ? { cost, policies } : { cost, policies, request }
    const maxWaitOfAll = mayWait ? delayOfAll(rules) : undefined
    if (maxWaitOfAll !== undefined) return acquired(maxWaitOfAll)
    return after(limiter.consume(keys, call), (decision) => {
      const maxWait = mayWait && !decision.allowed ? delayOfDenial(rules, decision) : undefined
      return maxWait === undefined ? { consumption, decision } : acquired(maxWait)
    })

    async function acquired(maxWait: number): Promise<Part> {
      const decision = await waiting((signal) =>
        limiter.acquire(keys, { ...call, maxWait, ...(signal === undefined ? {} : { signal }) }),
      )
      return { consumption, decision }
    }
  }

  /** Delays the request as leaky queues ask for. */
  function delayed(): void | Promise<void> {
    const isDelayed = ({ decision }: Part): boolean => decision.delayMs > 0
    if (wait === undefined || !taken.some(isDelayed)) return undefined
    return waiting(async (signal) => {
      const parts = taken.map(async (part) => (isDelayed(part) ? delayedBy(part, signal) : part))
      taken.splice(0, taken.length, ...(await Promise.all(parts)))
    })
  }

  async function delayedBy(
    { consumption, decision }: Part,
    signal: AbortSignal | undefined,
  ): Promise<Part> {
    const { keys, policies } = consumption
    return {
      consumption,
      decision: await delayRequest(limiter, { key: keys, policies, decision }, signal),
    }
  }

  /** Waits, and renews the leases that the request holds already. */
  async function waiting<T>(work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    const stops = taken.map(({ decision: { lease } }) => lease && keepAlive(lease))
    let own: AbortSignal | undefined
    try {
      return await (wait === undefined ? work(undefined) : wait((signal) => work((own = signal))))
    } catch (error) {
      isAborted = own?.aborted === true
      throw error
    } finally {
      for (const stop of stops) stop?.()
    }
  }

  /** A refund that fails changes no decision: units that stay taken expire, so the limit errs on the strict side. */
  function refundTaken(): unknown {
    return after(
      together(taken, ({ decision }) =>
        rescued<unknown>(() => limiter.refund(decision), warnOfFailure),
      ),
      () => {},
    )
  }
}

interface Failure {
  readonly error: unknown
}

function isPart(answer: Part | Failure): answer is Part {
  return 'decision' in answer
}

/** Calls a listener of the rules. Its errors fail no request. */
function told(call: () => void): void {
  try {
    call()
  } catch (error) {
    warnOfFailure(error)
  }
}

function rethrow(error: unknown): never {
  throw error
}
