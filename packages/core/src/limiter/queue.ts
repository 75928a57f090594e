import {
  textOf,
  type Cost,
  type DecisionRequest,
  type Store,
  type StoreRequest,
} from '../stores/store.js'
import type { Decision } from './decision.js'
import { Forecast, type Expectation } from './forecast.js'
import { Sleeper } from './pause.js'
import { noNames } from './read-decision.js'

/** A call of `acquire` in its queue. It sleeps until its turn, and then until it is allowed. */
export class Ticket extends Sleeper {
  readonly queue: Queue
  readonly cost: Cost
  /** The end of its longest wait, by `performance.now()`. */
  readonly deadline: number
  expected: Expectation = { allowedAt: 0, deniedBy: noNames }
  /** Whether its longest wait is over. */
  isOver = false

  constructor(queue: Queue, cost: Cost, deadline: number) {
    super()
    this.queue = queue
    this.cost = cost
    // Only a call that can never be allowed is later.
    this.deadline = Math.min(deadline, Number.MAX_VALUE)
  }

  /** Whether it cannot be allowed in time, because of the calls before it. If none of these is denied, it waits for the store only. */
  get isLate(): boolean {
    return (
      this.expected.allowedAt > this.deadline || (this.isOver && this.queue.deniedBy.length > 0)
    )
  }
}

/** The calls of `acquire` for the same keys and policies, in the order in which they were made. */
export class Queue {
  /** The policies that denied the first call when it asked last. Empty while it has not been denied. */
  deniedBy: readonly string[] = noNames
  /** The calls that have not ended. A leaky queue delays some of them after they are decided. */
  readonly #present = new Set<Ticket>()
  readonly #undecided = new Set<Ticket>()
  #forecast: Forecast | undefined

  get isEmpty(): boolean {
    return this.#present.size === 0
  }

  /** Whether all calls before it are decided. */
  isFirst(ticket: Ticket): boolean {
    return firstOf(this.#undecided) === ticket
  }

  /** Whether all calls before it have ended. */
  mayStart(ticket: Ticket): boolean {
    return firstOf(this.#present) === ticket
  }

  enter(cost: Cost, deadline: number): Ticket {
    const ticket = new Ticket(this, cost, deadline)
    this.#present.add(ticket)
    this.#undecided.add(ticket)
    if (this.#forecast !== undefined) ticket.expected = this.#forecast.take(cost, ticket.deadline)
    return ticket
  }

  /** The counts of its keys have changed. The first call asks the store again, and until then no wait is known. */
  changed(): void {
    this.deniedBy = noNames
    this.#forecast = undefined
    this.#wakeFirst()
  }

  /** The first call was denied. Wakes those which that makes too late. */
  denied(denial: Decision, firmMs: number): void {
    const now = performance.now()
    this.deniedBy = denial.deniedBy
    const first = firstOf(this.#undecided)
    const wasForeseen = Math.abs(now + firmMs - (first?.expected.allowedAt ?? 0)) <= toleranceMs
    if (this.#forecast === undefined || !wasForeseen) {
      this.#forecast = new Forecast(denial, firmMs)
      for (const ticket of this.#undecided) {
        ticket.expected = this.#forecast.take(ticket.cost, ticket.deadline)
      }
    }
    for (const ticket of this.#undecided) {
      if (ticket !== first && ticket.isLate) ticket.wake()
    }
  }

  /** A call was decided, or has left. Lets the next one ask, or the first one again if the units of this one were expected. */
  decided(ticket: Ticket, isAllowed: boolean): void {
    const wasFirst = this.isFirst(ticket)
    const wasExpected = !isAllowed && ticket.expected.allowedAt <= ticket.deadline
    this.#undecided.delete(ticket)
    if (wasFirst) this.deniedBy = noNames
    if (wasExpected) this.#forecast = undefined
    if (wasFirst || wasExpected) this.#wakeFirst()
  }

  #wakeFirst(): void {
    firstOf(this.#undecided)?.wake()
  }

  ended(ticket: Ticket): void {
    this.#present.delete(ticket)
    const next = firstOf(this.#present)
    if (next !== undefined && !this.#undecided.has(next)) next.wake()
  }
}

/** How much a call may differ from its forecast, in milliseconds, before a new one is made. */
const toleranceMs = 10

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value
}

/** The queues of all limiters of a store. */
export class Queues {
  readonly #byName = new Map<string, Queue>()
  /** By each key of their calls. */
  readonly #byKey = new Map<string, Set<Queue>>()

  enter(request: DecisionRequest, deadline: number): Ticket {
    const name = queueName(request)
    let queue = this.#byName.get(name)
    if (queue === undefined) {
      queue = new Queue()
      this.#byName.set(name, queue)
      for (const key of keysOf(request)) {
        this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(queue))
      }
    }
    return queue.enter(request.cost, deadline)
  }

  /** Removes a call that has ended, and its queue if it was the last one. */
  leave(request: DecisionRequest, ticket: Ticket): void {
    const { queue } = ticket
    queue.ended(ticket)
    if (!queue.isEmpty) return
    this.#byName.delete(queueName(request))
    for (const key of keysOf(request)) {
      const queues = this.#byKey.get(key)
      if (queues?.delete(queue) === true && queues.size === 0) this.#byKey.delete(key)
    }
  }

  /** Lets the first call of each queue ask the store again, because a request has changed what one of its keys counts. */
  wake(request: StoreRequest): void {
    if (this.#byKey.size === 0) return
    for (const key of keysOf(request)) this.#byKey.get(key)?.forEach((queue) => queue.changed())
  }
}

const byStore = new WeakMap<Store, Queues>()

/** The queues of a store. Its limiters share them, because limiters of one name count together. */
export function queuesOf(store: Store): Queues {
  const queues = byStore.get(store) ?? new Queues()
  byStore.set(store, queues)
  return queues
}

/** The different keys of a request, with the name of the limiter. */
function keysOf({ policies, keys }: StoreRequest): ReadonlySet<string> {
  return new Set(keys.map((key, i) => `${policies[i].limiter} ${key}`))
}

/** The name of the queue of a request: the same one for all ways to write its keys and its policies, such as a record with one key for all policies. */
function queueName({ policies, keys }: DecisionRequest): string {
  const isOne = keys.every((key) => key === keys[0])
  // A call with other numbers, such as a higher limit, need not wait for calls that these deny.
  return textOf(policies) + JSON.stringify(isOne ? keys[0] : keys)
}
