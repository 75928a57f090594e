import { memoryStore, type AsyncStore } from '@sluice/core'

/** A memory store that returns promises. */
export function laterStore(): AsyncStore {
  const store = memoryStore()
  return {
    async: true,
    run: async (requests) => requests.map(store.run),
    ping: async () => store.ping(),
    close: async () => {},
  }
}
