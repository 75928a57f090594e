import { fixedWindow, gcra, slidingWindow, type Policies, type Policy } from '@sluice/core'
import { threeLimits } from './memory/contender.js'

/** The policies of Sluice that compete, by the name of their builder. */
export interface Builder {
  readonly name: string
  one(limit: number, windowMs: number): Policy
  three(limit: number): Policies
}

export const builders: readonly Builder[] = [
  builder('fixedWindow', (limit, window) => fixedWindow({ limit, window })),
  builder('slidingWindow', (limit, window) => slidingWindow({ limit, window })),
  builder('gcra', (limit, window) => gcra({ limit, window })),
]

function builder(name: string, one: Builder['one']): Builder {
  return {
    name,
    one,
    three(most) {
      const [minute, hour, day] = threeLimits(most).map(({ limit, windowMs }) =>
        one(limit, windowMs),
      )
      return { minute, hour, day }
    },
  }
}
