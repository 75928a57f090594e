/** The work of a program until it can limit its first request. Nothing of it is loaded before it is timed. */
export interface ColdImport {
  /** The row of the table. */
  readonly row: string
  readonly name: string
  /** Loads what the application has loaded before, which is not timed. */
  readonly before?: () => Promise<unknown>
  readonly load: () => Promise<unknown>
}

/** The yardstick: an application of Express loads it in any case. */
export const express: ColdImport = {
  row: 'the framework alone',
  name: '`import` of Express',
  load: async () => import('express'),
}

/** The rows, each with the same work by several libraries. */
export const rows = {
  bare: 'import and `rateLimit()` for Express',
  loaded: 'the same after Express is loaded',
  limiter: 'import and one limiter without a framework',
} as const

async function sluice(): Promise<unknown> {
  const { rateLimit } = await import('@sluice/express')
  return rateLimit({ limit: 100, window: '1m' })
}

async function expressRateLimit(): Promise<unknown> {
  const { rateLimit } = await import('express-rate-limit')
  return rateLimit({ limit: 100, windowMs: 60_000 })
}

async function limiter(): Promise<unknown> {
  const { createLimiter, slidingWindow } = await import('@sluice/core')
  return createLimiter({ name: 'api', policies: slidingWindow({ limit: 100, window: '1m' }) })
}

async function rateLimiterFlexible(): Promise<unknown> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points: 100, duration: 60 })
}

const before = express.load

export const imports: readonly ColdImport[] = [
  express,
  { row: rows.bare, name: 'Sluice', load: sluice },
  { row: rows.bare, name: 'express-rate-limit', load: expressRateLimit },
  { row: rows.loaded, name: 'Sluice', before, load: sluice },
  { row: rows.loaded, name: 'express-rate-limit', before, load: expressRateLimit },
  { row: rows.limiter, name: 'Sluice', load: limiter },
  { row: rows.limiter, name: 'rate-limiter-flexible', load: rateLimiterFlexible },
]
