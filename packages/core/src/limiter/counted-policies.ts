import {
  partOf,
  type BoundPolicy,
  type Outcome,
  type State,
  type StoreRequest,
} from '../stores/store.js'

/**
 * The part of a request that the store has to run: the request without the policies that count nothing, such as `unlimited`. If no policy is left,
 * the store is not called, and the counts under the same policy name do not change.
 */
export function countedPart<Q extends StoreRequest>(request: Q): Q {
  const { entries } = request
  if (countsAll(entries)) return request
  const indices = [...entries.keys()].filter((i) => counts(entries[i]))
  return { ...partOf(request, indices), entries: countedOf(entries) }
}

/** The outcome of the whole request, from the outcome of its counted part. */
export function wholeOutcome(outcome: Outcome, { entries }: StoreRequest): Outcome {
  if (countsAll(entries)) return outcome
  const states: State[] = []
  const decidedBy: BoundPolicy[] = []
  let next = 0
  for (const entry of entries) {
    const isCounted = counts(entry)
    decidedBy.push((isCounted ? outcome.entries?.[next] : undefined) ?? entry)
    states.push((isCounted ? outcome.states[next] : undefined) ?? nothing)
    if (isCounted) next++
  }
  return { ...outcome, states, entries: decidedBy }
}

/** Whether a policy has a state. */
export function counts({ steps }: BoundPolicy): boolean {
  return !steps.countsNothing
}

const nothing: State = { row: [], blockedUntil: 0, now: 0 }

function countsAll(entries: readonly BoundPolicy[]): boolean {
  for (let i = 0; i < entries.length; i++) if (!counts(entries[i])) return false
  return true
}

const known = new WeakMap<readonly BoundPolicy[], readonly BoundPolicy[]>()

/** Returns the same list each time, so that requests that differ only by their keys share the values that are derived from it. */
function countedOf(entries: readonly BoundPolicy[]): readonly BoundPolicy[] {
  let counted = known.get(entries)
  if (counted === undefined) {
    counted = entries.filter(counts)
    known.set(entries, counted)
  }
  return counted
}
