import { fixedWindow, slidingWindow, type Policy } from '@sluice/core'

/** The limits of the application: no request reaches that of the open route, and that of the tight route is soon used up. */
export const limits = { open: 1_000_000, tight: 5 } as const

export type Route = keyof typeof limits

export const routes: readonly Route[] = ['open', 'tight']

/** The keys of the clients. On a Cluster of three masters, each is on another master, in this order. */
export const keys = ['ann', 'bob', 'fay'] as const

/** The algorithms of the application's versions. No unit of their windows is available again while a row is played. */
export type Algorithm = 'fixedWindow' | 'slidingWindow'

/** The limit of a route in the version of the application that has this algorithm. */
export function policyOf(algorithm: Algorithm, route: Route): Policy {
  const options = { limit: limits[route], window: '1h' } as const
  return algorithm === 'fixedWindow' ? fixedWindow(options) : slidingWindow(options)
}
