// #region app
import { fixedWindow, rateLimit } from '@sluice/koa'
import Koa from 'koa'
import ratelimit from 'koa-ratelimit'

export const app = new Koa()
export const compared = { same: 0, stricter: 0, looser: 0 }

// Runs first, to see the requests that the old limiter denies too. It denies nothing and writes no header.
app.use(
  rateLimit({
    window: '1m',
    limit: 10,
    algorithm: fixedWindow,
    skip: (ctx) => ctx.path === '/health',
    dryRun: true,
  }),
)

app.use((ctx, next) => {
  // Read it now, because the old limiter replaces it when it denies.
  const trial = ctx.state.rateLimit
  // The new limiter skips this request.
  if (trial === undefined) return next()
  ctx.res.once('finish', () => {
    const allowed = ctx.status !== 429
    if (trial.allowed === allowed) compared.same++
    else if (allowed) compared.stricter++
    else compared.looser++
  })
  return next()
})

app.use(
  ratelimit({
    driver: 'memory',
    db: new Map(),
    duration: 60_000,
    max: 10,
    whitelist: (ctx) => ctx.path === '/health',
  }),
)

app.use((ctx) => {
  ctx.body = 'Hello.'
})
// #endregion
