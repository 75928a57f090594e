import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import type { Contender } from './contender.js'
import { clockAndState, floor } from './yardsticks.js'
import type { AllCosts, Costs, Round } from './trial.js'

/** The figures of one contender. */
export interface Figures {
  readonly name: string
  readonly holds: string
  readonly bytesPerKey: number
  readonly redisMicroseconds: Spread
  readonly commandsSent: number
  readonly commandsWithin: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly comparedWithFloor: Comparison
  /** Compared with the least that a script by the time of the server does. */
  readonly comparedWithScript: Comparison
}

/** The figures as multiples of those of another contender. */
export interface Comparison {
  readonly with: string
  readonly bytesPerKey: number
  /** Compared within each round, because the same disturbances affect both. */
  readonly redisMicroseconds: Spread
}

export function figuresOf(contender: Contender, costs: AllCosts): Figures {
  const own = costsOf(contender, costs)
  return {
    name: contender.name,
    holds: contender.fill.holds,
    bytesPerKey: own.bytesPerKey,
    redisMicroseconds: inAll(own, 'microseconds'),
    commandsSent: inAll(own, 'commandsSent').median,
    commandsWithin: inAll(own, 'commandsWithin').median,
    bytesIn: inAll(own, 'bytesIn').median,
    bytesOut: inAll(own, 'bytesOut').median,
    comparedWithFloor: comparison(own, costsOf(floor, costs), floor.name),
    comparedWithScript: comparison(own, costsOf(clockAndState, costs), clockAndState.name),
  }
}

function costsOf(contender: Contender, costs: AllCosts): Costs {
  const own = costs.get(contender)
  if (own === undefined) throw new Error(`${contender.name} was not measured`)
  return own
}

function inAll({ rounds }: Costs, figure: keyof Round): Spread {
  return spreadOf(rounds.map((round) => round[figure]))
}

function comparison(own: Costs, other: Costs, name: string): Comparison {
  return {
    with: name,
    bytesPerKey: own.bytesPerKey / other.bytesPerKey,
    redisMicroseconds: ratiosOf(microsecondsOf(own), microsecondsOf(other)),
  }
}

function microsecondsOf({ rounds }: Costs): number[] {
  return rounds.map(({ microseconds }) => microseconds)
}
