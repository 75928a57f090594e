import { SluiceError } from '../../errors.js'
import {
  partOf,
  peekOf,
  refundsOf,
  type Answer,
  type AsyncStore,
  type BoundPolicy,
  type ConsumeRequest,
  type StoreResult,
  type State,
  type StoreRequest,
} from '../store.js'

type Run = AsyncStore['run']

/** The part of a request in one slot: the request with only the policies of that slot, and their indices. */
interface SlotPart<Q extends StoreRequest = StoreRequest> {
  readonly request: Q
  readonly indices: readonly number[]
}

/**
 * Runs requests on a Redis Cluster, where a script can use the keys of one slot only. Requests of one slot share a call. A request that spans
 * several slots is still all or nothing: it peeks in all slots, then consumes in each, and refunds by receipt if a later slot denies. It never
 * allows more than the limit. It may deny other requests until the refund; if the process exits in between, the units count until they expire.
 */
export function acrossSlots(
  run: Run,
  /** Runs refunds, which have no deadline. */
  undo: Run,
  slotOf: (key: string, request: StoreRequest) => number,
): Run {
  return async function runAcrossSlots(requests) {
    const answers: Promise<Answer>[] = []
    const together = new Map<number, number[]>()
    requests.forEach((request, at) => {
      const slots = new Set(request.keys.map((key) => slotOf(key, request)))
      if (slots.size > 1) {
        answers[at] = runParts(request)
        return
      }
      const [slot = -1] = slots
      together.set(slot, [...(together.get(slot) ?? []), at])
    })
    for (const indices of together.values()) {
      const slotAnswers = run(indices.map((at) => requests[at]))
      indices.forEach((at, i) => {
        answers[at] = slotAnswers.then((all) => all[i])
      })
    }
    return Promise.all(answers)
  }

  async function runParts(request: StoreRequest): Promise<Answer> {
    if (request.verb === 'consume') return asAnswer(consume(partsOf(request, slotOf)))
    const parts = partsOf(request, slotOf)
    if (request.verb === 'reset' && !request.unblock) return asAnswer(reset(parts))
    return asAnswer(askAll(parts))
  }

  /** Runs a request in one slot. Throws if the answer is an error. */
  async function ask(request: StoreRequest): Promise<StoreResult> {
    const [answer] = await run([request])
    if (answer instanceof SluiceError) throw answer
    return answer
  }

  async function askAll(parts: readonly SlotPart[]): Promise<StoreResult> {
    return join(parts, await Promise.all(parts.map(({ request }) => ask(request))))
  }

  async function reset(parts: readonly SlotPart[]): Promise<StoreResult> {
    const looks = parts.map(({ request, indices }) => ({ request: peekOf(request, 0), indices }))
    const stand = await askAll(looks)
    if (stand.states.some(({ blockedUntil, now }) => blockedUntil > now)) {
      return { ...stand, allowed: false }
    }
    return askAll(parts)
  }

  async function consume(parts: readonly SlotPart<ConsumeRequest>[]): Promise<StoreResult> {
    const looked = await Promise.all(parts.map(look))
    if (looked.some(({ allowed }) => !allowed)) return join(parts, await denied(parts, looked))
    const taken: StoreResult[] = []
    for (const part of parts) {
      const [answer] = await run([part.request])
      if (!(answer instanceof SluiceError) && answer.allowed) {
        taken.push(answer)
        continue
      }
      await refundTaken(parts, taken)
      if (answer instanceof SluiceError) throw answer
      // The slot that denied is not asked again: it may allow the request by now, but the request remains denied.
      const stand = await Promise.all(
        parts.map(async (other) => (other === part ? answer : look(other))),
      )
      return join(parts, stand)
    }
    return join(parts, taken)
  }

  /** A denial may start a block or save a new bucket, so the slots that do so receive a `consume` instead of a `peek`. */
  async function denied(
    parts: readonly SlotPart<ConsumeRequest>[],
    looked: readonly StoreResult[],
  ): Promise<readonly StoreResult[]> {
    return Promise.all(
      looked.map(async (look, i) => {
        if (look.allowed && !parts[i].request.policies.some(isPersistedOnDenial)) return look
        // A slot that allows the request saves a new bucket. A cost of 0 takes no units, so no refund is necessary.
        const result = await ask(look.allowed ? { ...parts[i].request, cost: 0 } : parts[i].request)
        if (!result.allowed) return result
        if (!look.allowed) await refundTaken([parts[i]], [result])
        return look
      }),
    )
  }

  async function refundTaken(
    parts: readonly SlotPart<ConsumeRequest>[],
    taken: readonly StoreResult[],
  ): Promise<void> {
    const refunds = taken.flatMap(({ states }, i) => refundsOf(parts[i].request, states))
    await Promise.all(refunds.map((refund) => undo([refund])))
  }

  function look({ request }: SlotPart<ConsumeRequest>): Promise<StoreResult> {
    return ask(peekOf(request, request.cost))
  }
}

function isPersistedOnDenial({ steps, params }: BoundPolicy): boolean {
  return steps.persistsOnDenial(params)
}

async function asAnswer(result: Promise<StoreResult>): Promise<Answer> {
  try {
    return await result
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
}

function partsOf<Q extends StoreRequest>(
  request: Q,
  slotOf: (key: string, request: StoreRequest) => number,
): readonly SlotPart<Q>[] {
  const bySlot = new Map<number, number[]>()
  request.keys.forEach((key, i) => {
    const slot = slotOf(key, request)
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), i])
  })
  return [...bySlot.values()].map((indices) => ({ request: partOf(request, indices), indices }))
}

/** Combines the results of all slots. */
function join(parts: readonly SlotPart[], results: readonly StoreResult[]): StoreResult {
  const states: State[] = []
  parts.forEach(({ indices }, part) => {
    indices.forEach((index, i) => (states[index] = results[part].states[i]))
  })
  const { verb } = parts[0].request
  const all = results.every(({ allowed }) => allowed)
  // A lease is in one of the slots.
  const some = (verb === 'release' || verb === 'renew') && results.some(({ allowed }) => allowed)
  return { allowed: all || some, states }
}
