import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLimiter, redisStore } from '@sluice/core'
import { beforeAll, expect, test } from 'vitest'
import { families } from '../../src/samples/families.js'
import { useRedis } from '@sluice/test-kit/redis'

const core = fileURLToPath(new URL('../../../core/', import.meta.url))
const page = readFileSync(new URL('../../../docs/operate/redis.md', import.meta.url), 'utf8')
const [, named] = /ACL SETUSER sluice ([^`]*)/.exec(page) ?? []
const rights = named
  .replaceAll(/[\\'\n]/g, ' ')
  .trim()
  .split(/ +/)

const redis = useRedis()
beforeAll(async () => {
  await redis.connection.acl('SETUSER', 'sluice', ...rights)
})

test('the page names every command of the scripts, and only INFO of the client', () => {
  const sources = readdirSync(`${core}src`, { recursive: true, encoding: 'utf8' })
  const scripts = sources
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`${core}src/${name}`, 'utf8'))
  const called = scripts.flatMap((text) =>
    Array.from(text.matchAll(/\bcall\('([A-Z]+)'/g), ([, name]) => name),
  )
  const known = new Set(['EVALSHA', 'EVAL', 'INFO', ...called])
  const commands = rights
    .filter((right) => right.startsWith('+'))
    .map((right) => right.slice(1).toUpperCase())
  expect(commands.toSorted()).toEqual([...known].toSorted())
})

test('a user with only these rights can run every verb with every policy', async () => {
  const client = redis.client({ username: 'sluice', password: 'secret' })
  const store = redisStore(client, { timeout: '20s' })
  const sources = new Set<string>()
  for (const [i, { samples }] of families.entries()) {
    for (const [j, { policy }] of samples.entries()) {
      const limiter = createLimiter({
        name: `${i} ${j}`,
        policies: policy,
        store,
        denyCache: false,
      })
      for (const owner of ['ada', 'ada', 'bob']) {
        const decision = await limiter.consume('key', { owner })
        sources.add(decision.source)
        await decision.lease?.renew()
        await limiter.refund(decision)
      }
      await limiter.consumeMany([{ key: 'key' }, { key: 'key' }])
      await limiter.penalize('key', 2)
      await limiter.refund('key', 1)
      await limiter.status('key')
      await limiter.block('key', '1s')
      await limiter.unblock('key')
      await limiter.exempt('key', '1s')
      await limiter.unexempt('key')
      await limiter.reset('key')
    }
  }
  expect([...sources]).toEqual(['store'])
  expect(await redis.connection.call('ACL', 'LOG')).toEqual([])
})
