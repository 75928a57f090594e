// Sends calls to a server, and prints the statuses of their responses. Arguments: the port of Redis, the URL, the number of calls.
import { Redis } from 'ioredis'
import { createLimiter, limitedFetch, redisStore, tokenBucket } from '../bundle/index.js'

const [, , port, url, count] = process.argv
const redis = new Redis(Number(port), '127.0.0.1')
const limiter = createLimiter({
  name: 'calls',
  policies: tokenBucket({ capacity: 100, refill: 100, every: '1s' }),
  store: redisStore(redis),
})
const call = limitedFetch(limiter, { key: 'server', maxWait: '30s', retries: 4 })
const statuses = []
for (let i = 0; i < Number(count); i++) {
  const response = await call(url)
  await response.text()
  statuses.push(response.status)
}
process.stdout.write(JSON.stringify(statuses))
redis.disconnect()
