// #region app
import { fixedWindow, rateLimit } from '@sluice/koa'
import Koa from 'koa'
import ratelimit from 'koa-ratelimit'

export const app = new Koa()
export const compared = { same: 0, stricter: 0, looser: 0 }

// In front, or it would not see what the old limiter denies. It counts and decides, lets everything pass, and writes no header.
app.use(rateLimit({ window: '1m', limit: 10, algorithm: fixedWindow, dryRun: true }))

app.use((ctx, next) => {
  // Now: where the old limiter denies, it puts its own `rateLimit` in this place.
  const trial = ctx.state.rateLimit
  ctx.res.once('finish', () => {
    const allowed = ctx.status !== 429
    if (trial.allowed === allowed) compared.same++
    else if (allowed) compared.stricter++
    else compared.looser++
  })
  return next()
})

app.use(ratelimit({ driver: 'memory', db: new Map(), duration: 60_000, max: 10 }))

app.use((ctx) => {
  ctx.body = 'Hello.'
})
// #endregion
