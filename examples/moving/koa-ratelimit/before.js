// #region app
import Koa from 'koa'
import ratelimit from 'koa-ratelimit'

export const app = new Koa()

app.use(
  ratelimit({
    driver: 'memory',
    db: new Map(),
    duration: 60_000,
    max: 10,
    errorMessage: { error: 'Too many requests.' },
    whitelist: (ctx) => ctx.path === '/health',
  }),
)

app.use((ctx) => {
  ctx.body = 'Hello.'
})
// #endregion
