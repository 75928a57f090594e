/** A rate limiter that counts in memory. */
export interface Contender {
  readonly name: string
  open(limits: Limits): Promise<Decider>
  /** Opens one limiter with three policies. Absent if the library has no such limiter. */
  openThree?(limits: Limits): Promise<Decider>
}

export interface Limits {
  readonly limit: number
  readonly windowMs: number
  /** How many keys the limiter must be able to keep. */
  readonly keys: number
}

/** The policies of a limiter with three: a longer window has a higher limit, so each of them can deny. */
export function threeLimits(limit: number): readonly Omit<Limits, 'keys'>[] {
  return [
    { limit: limit / 10, windowMs: 60_000 },
    { limit: limit / 2, windowMs: 3_600_000 },
    { limit, windowMs: 86_400_000 },
  ]
}

export interface Decider {
  /** Takes one unit and returns whether it was allowed. */
  decide(key: string): boolean | Promise<boolean>
  /** Decides for each key in a loop without `await`. Absent if the library answers with promises. */
  readonly called?: CountAllowed<number>
  /** Decides for each key in a loop and awaits each answer. */
  readonly awaited: CountAllowed<Promise<number>>
  /** Drops the counts of these keys and stops all timers. Absent if no timer keeps the counts from the garbage collector. */
  close?(keys: readonly string[]): void | Promise<void>
}

/** Decides for the keys from index `from` up to `to`, one after the other, and counts the allowed ones. */
export type CountAllowed<Count = number | Promise<number>> = (
  keys: readonly string[],
  from: number,
  to: number,
) => Count

/** A library that answers at once. `allows` reads its answer. */
export function synchronous<Answer>(
  ask: (key: string) => Answer,
  allows: (answer: Answer) => boolean,
): Decider {
  return {
    decide: (key) => allows(ask(key)),
    called(keys, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) if (allows(ask(keys[i]))) allowed++
      return allowed
    },
    async awaited(keys, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) if (allows(await ask(keys[i]))) allowed++
      return allowed
    },
  }
}

/** A library that answers with a promise. `allows` reads its answer. A rejection that is not an Error is a denial. */
export function asynchronous<Answer>(
  ask: (key: string) => Promise<Answer>,
  allows: (answer: Answer) => boolean,
): Decider {
  return {
    decide: async (key) => allows(await ask(key)),
    // Does not call `decide`, which would add a promise to each decision.
    async awaited(keys, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) {
        try {
          if (allows(await ask(keys[i]))) allowed++
        } catch (denial) {
          if (denial instanceof Error) throw denial
        }
      }
      return allowed
    },
  }
}

/** Decides without `await` if the library can, and awaits each answer otherwise. */
export function fastestOf({ called, awaited }: Decider): CountAllowed {
  return called ?? awaited
}
