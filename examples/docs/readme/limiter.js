import { createLimiter } from '@sluice/core'

const limiter = createLimiter({ name: 'emails', limit: 100, window: '1h' })

const { allowed, remaining, retryAfterMs } = await limiter.consume('user:42')
if (allowed) console.log(`Sent. ${remaining} more this hour.`)
else console.log(`Not sent. Try again in ${retryAfterMs} ms.`)
