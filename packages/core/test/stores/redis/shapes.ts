import { fixedWindow, gcra, type Policy } from '../../../src/index.js'

/** A list of this many policies. Each bit of the number decides the algorithm of one, so each number needs a script of its own. */
export function listOfShape(shape: number, count: number): Record<string, Policy> {
  const options = { limit: 10, window: '1m' } as const
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `p${i}`,
      (shape >> i) & 1 ? gcra(options) : fixedWindow(options),
    ]),
  )
}
