import {
  admits,
  greatestOf,
  isFull,
  remainingOf,
  type Admission,
  type Admissions,
  type Meaning,
} from './model.js'

interface Stages {
  readonly ofFree: Admissions
  readonly ofThen: Admissions
}

/** `then` decides the requests that `free` would deny; the request that takes the last unit of `free` is the first of `then`. */
export function stagedMeaning(free: Meaning, then: Meaning): Meaning {
  const known = new WeakMap<Admissions, Stages>()

  /** Replays all admissions, to find the stage that allowed each. */
  function split(admissions: Admissions): Stages {
    const stages = known.get(admissions) ?? replayed(admissions)
    known.set(admissions, stages)
    return stages
  }

  function replayed(admissions: Admissions): Stages {
    const ofFree: Admission[] = []
    let ofThen: Admission[] = []
    for (const admission of admissions) {
      const { at, cost } = admission
      if (admits(free, ofFree, at, cost)) {
        ofFree.push(admission)
        if (cost > 0 && !admits(free, ofFree, at, 1)) ofThen = [admission]
      } else {
        ofThen.push(admission)
      }
    }
    return { ofFree, ofThen }
  }

  function remaining(admissions: Admissions, at: number): number {
    const { ofFree, ofThen } = split(admissions)
    return Math.max(remainingOf(free, ofFree, at), remainingOf(then, ofThen, at))
  }

  return {
    quota: Math.max(free.quota, then.quota),
    greatest: Math.max(greatestOf(free), greatestOf(then)),
    fits(admissions, at, cost) {
      const { ofFree, ofThen } = split(admissions)
      return admits(free, ofFree, at, cost) || admits(then, ofThen, at, cost)
    },
    ...(free.remaining === undefined && then.remaining === undefined ? {} : { remaining }),
    isFull(admissions, at) {
      const { ofFree, ofThen } = split(admissions)
      return isFull(free, ofFree, at) && isFull(then, ofThen, at)
    },
    delay(admissions, at, cost) {
      const { ofFree, ofThen } = split(admissions)
      const stage = admits(free, ofFree, at, cost) ? free : then
      return stage.delay?.(stage === free ? ofFree : ofThen, at, cost) ?? 0
    },
  }
}
