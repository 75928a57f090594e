// A monthly quota, without HTTP.
import assert from 'node:assert/strict'
// #region monthly
// #region status
import { calendarWindow, createLimiter } from '@sluice/core'

const month = (limit) => calendarWindow({ limit, period: 'month', timeZone: 'Europe/Berlin' })
const plans = { free: month(1000), pro: month(100_000) }
const quota = createLimiter({ name: 'quota', policies: plans.free })

// #endregion
async function use(account, units) {
  return quota.consume(account.id, { cost: units, policies: plans[account.plan] })
}

const account = { id: 'ada', plan: 'free' }
await use(account, 990) // 10 of 1,000 units remain
const { allowed } = await use(account, 20) // false

// An upgrade applies at once. The used units still count.
account.plan = 'pro'
const { remaining } = await use(account, 20) // 98990
// #endregion
assert.deepEqual([allowed, remaining], [false, 98_990])

// #region status
async function quotaOf(account) {
  const policies = plans[account.plan]
  const { limit, remaining, resetMs } = await quota.peek(account.id, { cost: 0, policies })
  return { limit, remaining, resetsAt: new Date(Date.now() + resetMs) }
}
// #endregion
const { limit, remaining: left, resetsAt } = await quotaOf(account)
assert.deepEqual([limit, left], [100_000, 98_990])
assert.ok(resetsAt.getTime() > Date.now())
