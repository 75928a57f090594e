import { rateLimit } from '@sluice/koa'
import Koa from 'koa'

const app = new Koa()
app.use(rateLimit({ limit: 100, window: '1m' }))

app.use((ctx) => {
  ctx.body = 'Hello'
})
app.listen(3000)
