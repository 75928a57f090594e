import { sluiceError } from '../errors.js'
import type { Answer, AsyncStore, StoreRequest } from '../stores/store.js'

/**
 * Answers within `timeoutMs`, whatever the store does: a request that takes longer fails with SLUICE_STORE_TIMEOUT. The store itself must see
 * to it that an abandoned request takes nothing later.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  return {
    async: true,
    run: (requests) => runWithin(store, requests, name, timeoutMs),
    close: () => store.close(),
  }
}

async function runWithin(
  store: AsyncStore,
  requests: readonly StoreRequest[],
  name: string,
  timeoutMs: number,
): Promise<readonly Answer[]> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<readonly Answer[]>((resolve) => {
    timer = setTimeout(() => {
      const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
      resolve(requests.map(() => error))
    }, timeoutMs)
  })
  try {
    return await Promise.race([store.run(requests), late])
  } finally {
    clearTimeout(timer)
  }
}
