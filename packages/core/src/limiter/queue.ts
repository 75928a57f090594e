import type { DecisionRequest } from '../stores/store.js'
import { isKey, type Keys } from './arguments.js'

/** One call in a queue. */
export interface Ticket {
  /** Whether all calls before it were decided when it came. */
  readonly isFirst: boolean
  /** Resolves when all calls before it are decided. */
  readonly turn: Promise<unknown>
  /** Resolves when all calls before it have ended. A leaky queue delays some of them after they are decided. */
  readonly start: Promise<unknown>
  /** Lets the next call be decided. Must be called exactly once. */
  decided(): void
  /** Lets the next call start. Must be called exactly once. */
  end(): void
}

/** The calls of `acquire` for one key, in the order in which they were made. */
export class Queue {
  /** The number of calls that have not ended. */
  size = 0
  /** The policies that denied the first undecided call. */
  deniedBy: readonly string[] = []
  /** The time, by `performance.now()`, before which the first undecided call cannot be allowed. */
  allowedAt = 0
  #undecided = 0
  readonly #decisions = createChain()
  readonly #starts = createChain()

  enter(): Ticket {
    const [decision, start] = [this.#decisions(), this.#starts()]
    const isFirst = this.#undecided === 0
    this.size++
    this.#undecided++
    return {
      isFirst,
      turn: decision.before,
      start: start.before,
      decided: () => {
        this.#undecided--
        decision.release()
      },
      end: () => {
        this.size--
        start.release()
      },
    }
  }
}

/** A link of a chain: `before` resolves when all links before it are released. */
interface Link {
  readonly before: Promise<unknown>
  release(): void
}

function createChain(): () => Link {
  let last: Promise<unknown> = Promise.resolve()
  return function addLink() {
    const before = last
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    last = before.then(() => released)
    return { before, release }
  }
}

/**
 * The name of the queue of a key's calls, about as long as the key in a store: the same one for all ways to write the key, such as a record with one key for
 * all policies.
 */
export function queueName(key: Keys, { policies, keys }: DecisionRequest): string {
  const namesAll = isKey(key) || policies.length === Object.keys(key).length
  if (namesAll && keys.every((each) => each === keys[0])) return `one ${keys[0]}`
  return `each ${JSON.stringify(policies.map(({ name }, i) => [name, keys[i]]))}`
}
