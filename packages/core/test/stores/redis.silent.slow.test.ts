import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, redisStore, type SupportedClient } from '@sluice/core'
import { startCluster, startRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'

const policies = fixedWindow({ limit: 1000, window: '1h' })

function limiterOn(client: SupportedClient, timeout = 50) {
  const store = redisStore(client, { timeout })
  return createLimiter({ name: randomUUID(), policies, store })
}

/** Decides every few milliseconds, for this time. */
async function decideFor(ms: number, decide: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until) {
    await decide()
    await delay(5)
  }
}

test('the queue of commands for an unresponsive Redis does not grow, and Redis decides again when it responds', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = server.client()
  const limiter = limiterOn(client)
  while ((await limiter.consume('key')).source !== 'store');
  process.kill(server.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
  await decideFor(600, () => limiter.consume('key'))
  const { length } = client.commandQueue
  await decideFor(1500, () => Promise.all([limiter.consume('key'), limiter.ping()]))
  expect(client.commandQueue.length).toBe(length)
  process.kill(server.pid, 'SIGCONT')
  while ((await limiter.consume('key')).source !== 'store') await delay(5)
  expect(await limiter.ping()).toBe(true)
})

test('an unresponsive master of a Cluster receives a few pings, and the other masters still receive theirs', async () => {
  const cluster = await startCluster()
  onTestFinished(() => cluster.stop())
  const client = cluster.client()
  // A Redis that responds does so within 250 ms, on a busy machine too.
  const limiter = limiterOn(client, 250)
  while (!(await limiter.ping())) await delay(5)
  const [silent] = cluster.nodes
  process.kill(silent.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(silent.pid, 'SIGCONT'))
  const answers: boolean[] = []
  const queued = () => client.nodes('master').map(({ commandQueue }) => commandQueue.length)
  for (let i = 0; i < 60; i++) answers.push(await limiter.ping())
  const before = Math.max(...queued())
  for (let i = 0; i < 60; i++) answers.push(await limiter.ping())
  expect(Math.max(...queued())).toBe(before)
  expect(before).toBeLessThan(16)
  expect(answers.slice(60)).toEqual(Array(60).fill(true))
})
