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
  const { policies } = await quota.peek(account.id, { cost: 0, policies: plans[account.plan] })
  const { used, limit, resetMs } = policies.default // a policy without a name
  return { used, limit, resetsAt: new Date(Date.now() + resetMs) }
}
// #endregion
const { used, limit, resetsAt } = await quotaOf(account)
assert.deepEqual([used, limit], [1010, 100_000])
assert.ok(resetsAt.getTime() > Date.now())
