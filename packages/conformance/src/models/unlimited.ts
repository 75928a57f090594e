import type { Meaning } from './model.js'

/** Nothing is ever too much. */
export const unlimitedMeaning: Meaning = {
  quota: Infinity,
  fits: () => true,
  remaining: () => Infinity,
  isFull: () => true,
}
