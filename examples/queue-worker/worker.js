// A worker without HTTP: it starts five jobs a second, runs two at once, and sends each recipient at most one mail a second. With REDIS_URL set,
// all workers that use that Redis share these limits: if you start two, each is half as fast.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  gcra,
  leakyQueue,
  limited,
  memoryStore,
  redisStore,
} from '@sluice/core'
import { Redis } from 'ioredis'

const { REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))
const store = redis === undefined ? memoryStore() : redisStore(redis)

// One limiter with two policies: a job starts when both allow it. A burst of 1 is an even pace.
const jobs = createLimiter({
  name: 'jobs',
  policies: {
    pace: gcra({ limit: 5, window: '1s', burst: 1 }),
    slots: concurrency({ limit: 2, lease: '30s' }),
  },
  store,
})

// A mail that would wait for more than two seconds is not sent.
const mails = createLimiter({
  name: 'mails',
  policies: leakyQueue({ leak: 1, every: '1s', maxDelay: '2s' }),
  store,
})

const limitMails = limited(mails, ({ to }) => ({ key: ['mail', to] }), {
  onDenied: (_decision, { to, id }) => `no mail to ${to} about job ${id}: there are too many`,
})
const sendMail = limitMails(async ({ to, id }) => {
  await sleep(20)
  return `mail to ${to} about job ${id}`
})

const began = performance.now()
const queue = Array.from({ length: 10 }, (_, i) => ({ id: i + 1, to: i % 2 === 0 ? 'ada' : 'bob' }))
const inWork = new Set()

say(`${queue.length} jobs, counted in ${redis === undefined ? 'memory' : 'Redis'}`)
for (const job of queue) {
  // Waits without a maximum. Pass "maxWait" or "signal" for one.
  const { lease } = await jobs.acquire('all')
  const work = run(job, lease)
    .catch((error) => say(`job ${job.id} failed: ${error.message}`))
    .finally(() => inWork.delete(work))
  inWork.add(work)
}
await Promise.all(inWork)
say('done')
redis?.disconnect()

async function run(job, lease) {
  try {
    say(`job ${job.id} starts`)
    await sleep(300)
  } finally {
    // If the worker crashes, the lease expires.
    await lease.release()
  }
  say(await sendMail(job))
}

function say(what) {
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${what}`)
}
