/** What the application allows: on one route all there is, on the other so little that it is soon used up. */
export const limits = { open: 1_000_000, tight: 5 } as const

export type Route = keyof typeof limits

export const routes: readonly Route[] = ['open', 'tight']

/** Who asks. Of a Cluster of three, each lies on a master of its own, in this order. */
export const keys = ['ann', 'bob', 'fay'] as const
