// The user and the plans of an application in TypeScript, on Express.
import assert from 'node:assert/strict'
// #region express
import { byUser, rateLimit, slidingWindow, unlimited, type Policies } from '@sluice/express'
import express from 'express'

type Plan = 'free' | 'pro' | 'internal'

declare global {
  namespace Express {
    interface Request {
      user?: { readonly id: string; readonly plan: Plan }
    }
  }
}

// A plan without policies does not compile.
const plans = {
  free: slidingWindow({ limit: 60, window: '1m' }),
  pro: slidingWindow({ limit: 600, window: '1m' }),
  internal: unlimited(),
} satisfies Record<Plan, Policies>

const limit = rateLimit({
  policies: (req) => plans[req.user?.plan ?? 'free'],
  key: byUser((req) => req.user?.id),
})

const app = express()
app.get('/', limit, (req, res) => {
  res.json({ left: req.rateLimit?.remaining })
})
// #endregion
import { authenticate } from './check/users.js'
import { visit } from './check/visit.js'

const outer = express().use(authenticate, app)
await visit(outer, async (ask: (path: string, options: object) => Promise<Response>) => {
  const as = (plan: Plan): object => ({ headers: { 'X-User': 'ada', 'X-Plan': plan } })
  assert.deepEqual(await (await ask('/', as('free'))).json(), { left: 59 })
  assert.deepEqual(await (await ask('/', as('pro'))).json(), { left: 598 })
})
