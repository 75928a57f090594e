import { play, type Row } from './scene.js'
import type { Played } from './table.js'

/** So many rows at once leave two cores time enough: most of each goes by in waiting. */
export const atOnce = 3

/** Runs what it is given, so many at once and the others in their turn. */
function createLanes(lanes: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = lanes
  return async (run) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free--
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/** Plays rows and answers in their order. */
export async function playAll(
  rows: readonly Row[],
  lanes: number,
  tell: (played: Played) => void,
): Promise<Played[]> {
  const inLane = createLanes(lanes)
  return Promise.all(
    rows.map(async (row) => {
      const { fault, client } = row
      const played = { fault, client, verdict: await inLane(() => play(row)) }
      tell(played)
      return played
    }),
  )
}
