import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
  slidingWindow,
  type Policies,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { useBothScripts } from './both-scripts.js'

const scripts = useBothScripts()
const { server } = scripts

describe('by the time of the server', () => {
  const one = { limit: 5, window: '1h' } as const
  const plans: Readonly<Record<string, Policies>> = {
    fixedWindow: fixedWindow(one),
    slidingWindow: slidingWindow(one),
    gcra: gcra(one),
    'a name': { api: fixedWindow(one) },
    three: { a: fixedWindow(one), b: slidingWindow(one), c: gcra(one) },
    'large counts': fixedWindow({ limit: 9e9, window: 1000 }),
  }

  test.each(Object.entries(plans))(
    '%s: the TTL is that of the script of single requests',
    async (_, plan) => {
      const name = randomUUID()
      const lives = await Promise.all(
        [scripts.plan, scripts.single].map(async (store, i) => {
          const limiter = createLimiter({ name, policies: plan, store })
          await limiter.consume('key', { cost: 3 })
          return server.connection.pttl(`${i === 0 ? 'plan' : 'single'}:${name}:{key}`)
        }),
      )
      // The two scripts did not run in the same millisecond. A state is kept for a second after it has expired.
      expect(Math.abs(lives[0] - lives[1])).toBeLessThan(900)
    },
  )

  test('every decision is made by the script of its plan', async () => {
    const limiter = createLimiter({
      name: randomUUID(),
      policies: plans['three'],
      store: scripts.plan,
    })
    await limiter.consume('key')
    await server.connection.config('RESETSTAT')
    await Promise.all([
      limiter.consume('key'),
      limiter.peek('key'),
      limiter.consume('other', { cost: 2 }),
      limiter.consume('key', { cost: 9 }),
    ])
    const stats = await server.connection.info('commandstats')
    // The first request is sent alone, the others as two and one. Each call reads a key once, and a call that takes no units writes nothing.
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]).toBe('3')
    expect(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1]).toBe('4')
    expect(/cmdstat_set:calls=(\d+)/.exec(stats)?.[1]).toBe('2')
  })

  test('requests for a blocked key are decided in their order, beside other methods', async () => {
    const policies = fixedWindow({ limit: 100, window: '1h' })
    const limiter = createLimiter({
      name: randomUUID(),
      policies,
      store: scripts.plan,
      denyCache: false,
    })
    await limiter.block('key', '1h')
    const answers = await Promise.all([
      limiter.consume('key'),
      limiter.consume('key'),
      limiter.unblock('key'),
      limiter.consume('key'),
      limiter.consume('key'),
    ])
    const allowed = answers.map((decision) => decision?.allowed)
    expect(allowed).toEqual([false, false, undefined, true, true])
    expect((await limiter.peek('key')).remaining).toBe(98)
  })

  test.each(Object.entries(plans))('%s: requests of exempt keys write nothing', async (_, plan) => {
    const name = randomUUID()
    const limiter = createLimiter({ name, policies: plan, store: scripts.plan })
    await limiter.consume('key')
    await limiter.exempt('key', '1h')
    await limiter.exempt('new', '1h')
    const { connection } = server
    const states = () =>
      Promise.all(['key', 'new'].map((key) => connection.getBuffer(`plan:${name}:{${key}}`)))
    const before = await states()
    await connection.config('RESETSTAT')
    const decisions = await limiter.consumeMany([
      { key: 'key' },
      { key: 'new', cost: 9 },
      { key: 'key', cost: 3 },
    ])
    expect(decisions.map(({ exempt }) => exempt)).toEqual([true, true, true])
    expect(await connection.info('commandstats')).not.toContain('cmdstat_set:')
    expect(await states()).toEqual(before)
  })

  test('of two keys in one call, only the one that is not exempt is written', async () => {
    const name = randomUUID()
    const policies = { a: fixedWindow(one), b: slidingWindow(one) }
    const limiter = createLimiter({ name, policies, store: scripts.plan })
    const keys = { a: 'ann', b: 'bob' }
    await limiter.consume(keys)
    await limiter.exempt({ ...keys, b: notLimited }, '1h')
    await server.connection.config('RESETSTAT')
    await limiter.consume(keys)
    const stats = await server.connection.info('commandstats')
    expect(/cmdstat_set:calls=(\d+)/.exec(stats)?.[1]).toBe('1')
  })
})
