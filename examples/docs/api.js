// The examples of the API reference.
import assert from 'node:assert/strict'
// #region lease
import { concurrency, createLimiter } from '@sluice/core'

const reports = createLimiter({
  name: 'reports',
  policies: concurrency({ limit: 1, lease: '30s' }),
})

const { lease } = await reports.consume('tenant:7')
if (lease !== undefined) {
  try {
    await writeReport(lease.token) // the database rejects a token that is smaller than the last one
    await lease.renew() // 30 more seconds
  } finally {
    await lease.release()
  }
}

async function writeReport(token) {
  console.log(`report with token ${token}`)
}
// #endregion
const next = await reports.consume('tenant:7')
assert.ok(Number(next.lease?.token) > Number(lease?.token))
assert.equal(await lease?.renew(), false)
assert.equal(await reports.renew('tenant:7', String(next.lease?.id)), true)
assert.equal(await reports.release('tenant:7', String(next.lease?.id)), true)
