// A lease of a concurrency policy.
import assert from 'node:assert/strict'
// #region lease
import { concurrency, createLimiter } from '@sluice/core'

const reports = createLimiter({
  name: 'reports',
  policies: concurrency({ limit: 2, lease: '30s' }),
})

async function report(user, work) {
  const { allowed, lease } = await reports.consume(['user', user])
  if (!allowed) return 'Two reports are running.'
  try {
    return await work()
  } finally {
    await lease?.release()
  }
}
// #endregion

let finish
const running = new Promise((resolve) => (finish = resolve))
const both = [report('ada', () => running), report('ada', () => running)]
assert.equal(await report('ada', () => 'Done.'), 'Two reports are running.')
assert.equal(await report('bob', () => 'Done.'), 'Done.')
finish('Done.')
assert.deepEqual(await Promise.all(both), ['Done.', 'Done.'])
assert.equal(await report('ada', () => 'Done.'), 'Done.')
