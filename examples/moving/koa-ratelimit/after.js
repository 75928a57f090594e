// #region app
import { fixedWindow, rateLimit } from '@sluice/koa'
import Koa from 'koa'

export const app = new Koa()

app.use(
  rateLimit({
    window: '1m',
    limit: 10,
    algorithm: fixedWindow,
    body: { error: 'Too many requests.' },
    skip: (ctx) => ctx.path === '/health',
  }),
)

app.use((ctx) => {
  ctx.body = 'Hello.'
})
// #endregion
