import { play, type Row } from './scene.js'
import type { Played } from './table.js'

/** The number of rows that two cores can play at once: a row mostly waits. */
export const atOnce = 3

/** Returns a function that runs tasks, at most `lanes` at once and in the order of the calls. */
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

/** Plays rows and returns the results in the order of the rows. */
export async function playAll(
  rows: readonly Row[],
  lanes: number,
  tell: (played: Played) => void,
): Promise<Played[]> {
  const inLane = createLanes(lanes)
  return Promise.all(
    rows.map(async (row) => {
      const { fault, client } = row
      const played = { fault, client, figures: await inLane(() => play(row)) }
      tell(played)
      return played
    }),
  )
}
