// A limited function.
import assert from 'node:assert/strict'
// #region limited
import { createLimiter, DeniedError, limited, tokenBucket } from '@sluice/core'

const mails = createLimiter({
  name: 'mail',
  policies: tokenBucket({ capacity: 2, refill: 1, every: '1h' }),
})

const send = limited(mails, (to: string) => ({ key: ['mail', to] }))(sendMail)

async function sendMail(to: string, text: string): Promise<string> {
  return `to ${to}: ${text}`
}

async function tryToSend(to: string): Promise<string> {
  try {
    return await send(to, 'Hello.')
  } catch (error) {
    if (!(error instanceof DeniedError)) throw error
    return `not before ${error.decision.retryAfterMs} ms from now`
  }
}
// #endregion

for (let i = 0; i < 2; i++) assert.equal(await tryToSend('ada'), 'to ada: Hello.')
assert.match(await tryToSend('ada'), /^not before 3\d{6} ms from now$/)
