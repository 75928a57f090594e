import type { Store } from '@sluice/core'

/** What a store has been asked. */
export interface Recorded {
  /** The verbs of all requests, in their order. */
  readonly verbs: readonly string[]
}

/** A store that takes down what it is asked. */
export function recorded(store: Store): Recorded & { readonly store: Store } {
  const verbs: string[] = []
  function note(requests: Parameters<Store['run']>[0]): void {
    for (const { verb } of requests) verbs.push(verb)
  }
  return {
    verbs,
    store: store.async
      ? {
          async: true,
          run: async (requests) => {
            note(requests)
            return store.run(requests)
          },
          ping: async () => store.ping(),
          close: async () => store.close(),
        }
      : {
          async: false,
          run: (requests) => {
            note(requests)
            return store.run(requests)
          },
          ping: () => store.ping(),
          close: () => store.close(),
        },
  }
}
