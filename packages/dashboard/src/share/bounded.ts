import { refusal } from '../refusal.js'

/**
 * The result of a promise, or a refusal if it takes too long. The promise continues, and its late error is ignored.
 *
 * @param what the subject of the sentence "… took too long"
 */
export async function bounded<T>(
  promise: PromiseLike<T> | T,
  mostMs: number,
  what: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(refusal('SLUICE_VIEW_LATE', what)), mostMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
