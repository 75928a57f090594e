// Keys that one function makes, in TypeScript.
import assert from 'node:assert/strict'
// #region keys
import { byIp, gcra, rateLimit, slidingWindow, type Key } from '@sluice/express'
import type { Request } from 'express'

const keys = {
  tenant: (id: string): Key => ['tenant', id],
}

const limit = rateLimit({
  policies: {
    tenant: gcra({ limit: 600, window: '1m' }),
    address: slidingWindow({ limit: 1000, window: '1h' }),
  },
  // The names must be exactly those of the policies.
  key: {
    tenant: (req: Request) => keys.tenant(req.hostname),
    address: byIp(),
  },
})

// For support staff: the same key, made by the same function.
async function usedBy(tenant: string): Promise<number> {
  const key = { tenant: keys.tenant(tenant), address: 'nobody' }
  const { policies } = await limit.limiter.status(key)
  return policies['tenant'].used
}
// #endregion
import express from 'express'
import { visit } from './check/visit.js'

const app = express().use(limit, (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask: () => Promise<Response>) => {
  await ask()
  assert.equal(await usedBy('127.0.0.1'), 1)
})
