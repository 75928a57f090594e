import { createLimiter, limitedFetch, tokenBucket } from '@sluice/client'

const { API_URL = 'http://localhost:3000/' } = process.env

const limiter = createLimiter({
  name: 'api',
  policies: tokenBucket({ capacity: 30, refill: 10, every: '1s' }),
})
const call = limitedFetch(limiter, { maxWait: '30s', retries: 2 })

const response = await call(API_URL)
console.log(response.status)
