// What the page on plans and quotas says, without HTTP.
import assert from 'node:assert/strict'
// #region monthly
import { calendarWindow, createLimiter } from '@sluice/core'

const month = (limit) => calendarWindow({ limit, period: 'month', timeZone: 'Europe/Berlin' })
const plans = { free: month(1000), pro: month(100_000) }

const quota = createLimiter({ name: 'quota', policies: plans.free })

async function use(account, units) {
  return quota.consume(account.id, { cost: units, policies: plans[account.plan] })
}
// #endregion

const account = { id: 'ada', plan: 'free' }
assert.equal((await use(account, 990)).remaining, 10)
assert.equal((await use(account, 20)).allowed, false)

// #region upgrade
account.plan = 'pro'
const { allowed, remaining } = await use(account, 20)
console.log(allowed, remaining) // true 98990: what was used counts on
// #endregion
assert.deepEqual([allowed, remaining], [true, 98_990])

// #region status
async function standing(account) {
  const { policies } = await quota.peek(account.id, { cost: 0, policies: plans[account.plan] })
  const { used, limit, resetMs } = policies.default
  return { used, limit, resetsAt: new Date(Date.now() + resetMs) }
}
// #endregion
const { used, limit, resetsAt } = await standing(account)
assert.deepEqual([used, limit], [1010, 100_000])
assert.ok(resetsAt.getTime() > Date.now())

// #region staged
import { gcra, staged } from '@sluice/core'

// Thirty a day are free; after that, one every two seconds.
const fair = staged({
  free: calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' }),
  then: gcra({ limit: 1, window: '2s' }),
})
// #endregion
let now = Date.UTC(2030, 0, 1, 12)
const questions = createLimiter({ name: 'questions', policies: fair, clock: () => now })
for (let i = 0; i < 30; i++) assert.equal((await questions.consume('ada')).allowed, true)
const denied = await questions.consume('ada')
assert.deepEqual([denied.allowed, denied.retryAfterMs], [false, 2000])
now += 2000
assert.equal((await questions.consume('ada')).allowed, true)
