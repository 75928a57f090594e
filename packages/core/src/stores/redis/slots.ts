import { SluiceError } from '../../errors.js'
import { blockedMs } from '../override.js'
import {
  isDecision,
  partOf,
  peekOf,
  refundsOf,
  type Answer,
  type AsyncStore,
  type State,
  type StoreRequest,
  type StoreResult,
} from '../store.js'

type Run = AsyncStore['run']

/** The part of a request in one slot: the request with only the policies of that slot, and their indices. */
interface SlotPart {
  readonly request: StoreRequest
  readonly indices: readonly number[]
}

/**
 * Runs requests whose keys are in several slots of a Redis Cluster, although a script can use the keys of one slot only. A consumption is still all or nothing: it
 * peeks in all slots, then takes its units slot by slot, and refunds them by receipt if a later slot denies. It never allows more than the limit. It may deny other requests until the
 * refund; if the process exits in between, the units count until they expire.
 */
export function acrossSlots(
  run: Run,
  /** Runs refunds, which have no deadline. */
  undo: Run,
  slotOf: (key: string, request: StoreRequest) => number,
): Run {
  return (requests) => Promise.all(requests.map(runParts))

  async function runParts(request: StoreRequest): Promise<Answer> {
    const parts = partsOf(request, slotOf)
    try {
      if (request.verb === 'consume') return await consume(parts)
      if (request.verb === 'reset' && !request.unblock) {
        const stand = join(parts, await Promise.all(parts.map(look)))
        const isBlocked = stand.states.some((state) => blockedMs(state) > 0)
        if (isBlocked) return { ...stand, allowed: false }
      }
      return join(parts, await Promise.all(parts.map((part) => ask(part.request))))
    } catch (error) {
      if (error instanceof SluiceError) return error
      throw error
    }
  }

  /** Runs a request in one slot. Throws if the answer is an error. */
  async function ask(request: StoreRequest): Promise<StoreResult> {
    const [answer] = await run([request])
    if (answer instanceof SluiceError) throw answer
    return answer
  }

  async function consume(parts: readonly SlotPart[]): Promise<StoreResult> {
    const looked = await Promise.all(parts.map(look))
    const denying = parts.filter((_, i) => !looked[i].allowed)
    const taken = new Map<SlotPart, StoreResult>()
    const denials = new Map<SlotPart, StoreResult>()
    // A denial can start a block, so the slots that deny are asked nevertheless.
    for (const part of denying.length > 0 ? denying : parts) {
      const [answer] = await run([part.request])
      if (answer instanceof SluiceError) {
        await refund(taken)
        throw answer
      }
      if (answer.allowed) taken.set(part, answer)
      else denials.set(part, answer)
      if (denying.length === 0 && !answer.allowed) break
    }
    if (taken.size === parts.length && denying.length === 0) return join(parts, [...taken.values()])
    await refund(taken)
    // A slot that allows the request keeps the first row of a bucket. A cost of 0 takes no units.
    for (const { request } of denying.length > 0 ? parts : []) {
      const keepsFirst = request.policies.some(({ keepsFirstRow }) => keepsFirstRow)
      if (keepsFirst) await ask(Object.assign({}, request, { cost: 0 }))
    }
    const stand = parts.map(async (part, i) => {
      return denials.get(part) ?? (denying.length > 0 ? looked[i] : look(part))
    })
    // Also if units are available again by now.
    return { ...join(parts, await Promise.all(stand)), allowed: false }
  }

  async function refund(taken: ReadonlyMap<SlotPart, StoreResult>): Promise<void> {
    const refunds = [...taken].flatMap(([{ request }, { states }]) =>
      request.verb === 'consume' ? refundsOf(request, states) : [],
    )
    await Promise.all(refunds.map((one) => undo([one])))
  }

  function look({ request }: SlotPart): Promise<StoreResult> {
    return ask(peekOf(request, 'cost' in request ? request.cost : 0))
  }
}

function partsOf(
  request: StoreRequest,
  slotOf: (key: string, request: StoreRequest) => number,
): readonly SlotPart[] {
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
  // Any other verb changes each state for itself, as in one slot.
  const needsAll = parts.every(({ request }) => isDecision(request) || request.verb === 'reset')
  const each = new Set(results.map(({ allowed }) => allowed))
  return { allowed: needsAll ? !each.has(false) : each.has(true), states }
}
