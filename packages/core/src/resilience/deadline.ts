import { sluiceError } from '../errors.js'
import type { Answer, AsyncStore } from '../stores/store.js'

/**
 * Answers within `timeoutMs`, whatever the store does: a request that takes longer fails with SLUICE_STORE_TIMEOUT. The store itself must see
 * to it that an abandoned request takes nothing later.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  return {
    async: true,
    run: (requests) =>
      within(timeoutMs, store.run(requests), (): readonly Answer[] => {
        const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
        return requests.map(() => error)
      }),
    ping: () => within(timeoutMs, store.ping(), () => false),
    close: () => store.close(),
  }
}

async function within<T>(timeoutMs: number, answer: Promise<T>, otherwise: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise()), timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
