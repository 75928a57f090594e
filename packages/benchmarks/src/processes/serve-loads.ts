import type { Load } from '../loads.js'
import { freshKeys } from '../memory/keys.js'
import { inFlight } from '../redis/in-flight.js'
import { called } from './called.js'
import { serve } from './serve.js'

/** The number of keys of a load that is not for one key. */
export const keyCount = 10_000

/** Makes this process decide under loads. The work is the name of a load and the number of decisions; `numbers` has the numbers of their keys. */
export function serveLoads(
  loads: readonly Load[],
  numbers: ArrayLike<number>,
  decide: (key: string) => boolean | Promise<boolean>,
): void {
  const keys = freshKeys(keyCount)
  serve(async (work) => {
    const [name, decisions] = work.split(' of ')
    const load = called(loads, name)
    const own = Array.from({ length: Number(decisions) }, (_, i) => (load.isHot ? 0 : numbers[i]))
    return inFlight(decide, keys.of(own), load.inFlight)
  })
}
