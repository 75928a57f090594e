import type { Store } from '@sluice/core'

/** The requests that a store has received. */
export interface Recorded {
  /** The verbs of all requests, in their order. */
  readonly verbs: readonly string[]
}

/** A store that records its requests. */
export function recorded(store: Store): Recorded & { readonly store: Store } {
  const verbs: string[] = []
  return {
    verbs,
    store: store.async
      ? {
          async: true,
          run: async (requests) => {
            for (const { verb } of requests) verbs.push(verb)
            return store.run(requests)
          },
          ping: async () => store.ping(),
          close: async () => store.close(),
        }
      : {
          async: false,
          run: (request) => {
            verbs.push(request.verb)
            return store.run(request)
          },
          ping: () => store.ping(),
          close: () => store.close(),
        },
  }
}
