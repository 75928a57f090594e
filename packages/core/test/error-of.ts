import { once } from 'node:events'
import process from 'node:process'
import { SluiceError } from '../src/index.js'

/** The coded error that a call throws; anything else that happens is a failure. */
export function errorOf(call: () => unknown): SluiceError {
  try {
    call()
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The coded error that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<SluiceError> {
  const [result] = await Promise.allSettled([promise])
  return errorOf(() => {
    if (result.status === 'rejected') throw result.reason
  })
}

/** The coded warning that a call gives rise to. Each code is told once per process. */
export async function warningOf(act: () => void): Promise<SluiceError> {
  const warned = once(process, 'warning', { signal: AbortSignal.timeout(5000) })
  act()
  const [warning] = await warned
  return errorOf(() => {
    throw warning
  })
}
