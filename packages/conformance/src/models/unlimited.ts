import type { Meaning } from './model.js'

/** Any cost fits. */
export const unlimitedMeaning: Meaning = {
  quota: Infinity,
  fits: () => true,
  remaining: () => Infinity,
  isFull: () => true,
}
