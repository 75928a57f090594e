import type { Contender } from './contender.js'
import { peers } from './peers.js'
import { ours } from './sluice.js'
import { incr } from './yardstick.js'

export const contenders: readonly Contender[] = [incr, ...ours, ...peers]

/** The contender with this name. */
export function contenderCalled(name: string): Contender {
  const found = contenders.find((contender) => contender.name === name)
  if (found === undefined) throw new Error(`there is no contender ${name}`)
  return found
}
