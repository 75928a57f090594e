// @ts-nocheck -- the data of a job are the application's
// Webhooks in a queue of BullMQ: at most a few a second to each receiver, from all workers together.
import assert from 'node:assert/strict'
// #region worker
import { createLimiter, gcra, redisStore } from '@sluice/core'
import { DelayedError, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'

const url = process.env.REDIS_URL ?? 'redis://localhost'
const redis = new Redis(url)
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const limiter = createLimiter({
  name: 'webhooks',
  policies: gcra({ limit: 5, window: '1s', burst: 1 }),
  store: redisStore(redis),
})

const worker = new Worker(
  'webhooks',
  async (job, token) => {
    const { allowed, retryAfterMs } = await limiter.consume(['receiver', job.data.receiver])
    if (allowed) return send(job.data)
    // The worker goes on with the next job, of another receiver perhaps.
    await job.moveToDelayed(Date.now() + retryAfterMs, token)
    throw new DelayedError()
  },
  { connection: { url, maxRetriesPerRequest: null }, concurrency: 10 },
)
// #endregion

const sent = []
async function send({ receiver }) {
  sent.push({ receiver, at: performance.now() })
}

const queue = new Queue('webhooks', { connection: { url } })
const receivers = ['a.example', 'a.example', 'a.example', 'b.example']
await queue.addBulk(receivers.map((receiver) => ({ name: 'order paid', data: { receiver } })))
const deadline = Date.now() + 15_000
while (sent.length < receivers.length && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
assert.deepEqual(
  sent.map(({ receiver }) => receiver).filter((one) => one === 'a.example').length,
  3,
)
const times = sent.filter(({ receiver }) => receiver === 'a.example').map(({ at }) => at)
assert.ok(times[2] - times[0] >= 390, `${times}`)
await worker.close()
await queue.obliterate({ force: true })
await queue.close()
redis.disconnect()
