import { once } from 'node:events'
import process from 'node:process'
import { SluiceError } from '../src/index.js'

/** The SluiceError that a call throws. Any other result is a failure of the test. */
export function errorOf(call: () => unknown): SluiceError {
  try {
    call()
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The SluiceError that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<SluiceError> {
  const [result] = await Promise.allSettled([promise])
  return errorOf(() => {
    if (result.status === 'rejected') throw result.reason
  })
}

/** The warning that a call causes. Each code is reported once per process. */
export async function warningOf(act: () => void | Promise<void>): Promise<SluiceError> {
  const warned = once(process, 'warning', { signal: AbortSignal.timeout(5000) })
  await act()
  const [warning] = await warned
  return errorOf(() => {
    throw warning
  })
}
