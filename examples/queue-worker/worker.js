// A worker without HTTP: it takes jobs from a list, starts five of them in a second and runs two at once, and sends no more than one mail a
// second to anybody. With REDIS_URL set, all workers that use that Redis share these limits; start two of them, and each is half as fast.
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

// One limiter, two rules: a job starts when both admit it. A burst of 1 is an even pace.
const jobs = createLimiter({
  name: 'jobs',
  policies: {
    pace: gcra({ limit: 5, window: '1s', burst: 1 }),
    slots: concurrency({ limit: 2, lease: '30s' }),
  },
  store,
})

// A mail that would have to wait for more than two seconds is not sent at all.
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
  // Waits for its turn, for as long as it takes. Pass "maxWait" or "signal" to wait for less.
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
    // Where the worker dies instead, the lease ends by itself.
    await lease.release()
  }
  say(await sendMail(job))
}

function say(what) {
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${what}`)
}
