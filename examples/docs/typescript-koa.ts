// The state of an application in TypeScript, on Koa.
import assert from 'node:assert/strict'
// #region koa
import { byIp, byUser, firstOf, rateLimit } from '@sluice/koa'
import Koa from 'koa'

declare module 'koa' {
  interface DefaultState {
    user?: { readonly id: string }
  }
}

const app = new Koa()
const key = firstOf(
  byUser((ctx: Koa.Context) => ctx.state.user?.id),
  byIp(),
)
app.use(rateLimit({ limit: 100, window: '1m', key }))
app.use((ctx) => {
  ctx.body = { left: ctx.state.rateLimit?.remaining }
})
// #endregion
import { visit } from './check/visit.js'

await visit(app.callback(), async (ask: () => Promise<Response>) => {
  assert.deepEqual(await (await ask()).json(), { left: 99 })
})
