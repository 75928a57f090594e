/** Something that counts in memory, and says whether one more is allowed. */
export interface Contender {
  readonly name: string
  open(limits: Limits): Promise<Decider>
}

export interface Limits {
  readonly limit: number
  readonly windowMs: number
  /** How many keys it has to hold. */
  readonly keys: number
}

/** Takes one unit: whether it was allowed. Some answer with a promise. */
export type Decider =
  | { readonly answers: 'at once'; decide(key: string): boolean }
  | {
      readonly answers: 'later'
      decide(key: string): Promise<boolean>
      allowedOf(keys: readonly string[], from: number, to: number): Promise<number>
    }

export function atOnce(decide: (key: string) => boolean): Decider {
  return { answers: 'at once', decide }
}

/** One that answers with a promise, of which `allows` tells what it means. A promise that is rejected with anything but an error means no. */
export function later<Answer>(
  ask: (key: string) => Promise<Answer>,
  allows: (answer: Answer) => boolean,
): Decider {
  return {
    answers: 'later',
    decide: async (key) => allows(await ask(key)),
    // Not by `decide`: one more promise around each would be charged to those who make one already.
    async allowedOf(keys, from, to) {
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

/** Decides for some of a list of keys, one after the other, and counts those that were allowed. */
export function allowedOf(
  decider: Decider,
  keys: readonly string[],
  from: number,
  to: number,
): number | Promise<number> {
  return decider.answers === 'at once'
    ? allowedAtOnce(decider.decide, keys, from, to)
    : decider.allowedOf(keys, from, to)
}

function allowedAtOnce(
  decide: (key: string) => boolean,
  keys: readonly string[],
  from: number,
  to: number,
): number {
  let allowed = 0
  for (let i = from; i < to; i++) if (decide(keys[i])) allowed++
  return allowed
}
