import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DeniedError, fixedWindow, limited, notLimited } from '../src/index.js'
import { rejectionOf } from './error-of.js'
import { counted, limiterOf, once, useTimers } from './limited-bench.js'

beforeEach(useTimers)
afterEach(() => {
  vi.useRealTimers()
})

describe('a limited function', () => {
  test('is called as it was, and gives what it gave', async () => {
    const calls: unknown[][] = []
    const own = { tenant: 'acme' }
    function greet(this: typeof own, name: string, ...rest: number[]) {
      calls.push([this, name, ...rest])
      return `hello ${name}`
    }
    const limit = limited(limiterOf(fixedWindow({ limit: 2, window: '1m' })), { key: 'all' })
    expect(await limit(greet).call(own, 'ada', 1, 2)).toBe('hello ada')
    expect(await limit(async () => 'later')()).toBe('later')
    expect(calls).toEqual([[own, 'ada', 1, 2]])
    expect(calls[0][0]).toBe(own)
  })

  test('rejects with what it throws, and with what it rejects with', async () => {
    const broken = new Error('broken')
    const limit = limited(limiterOf(fixedWindow({ limit: 2, window: '1m' })), { key: 'all' })
    const throwing = limit(() => {
      throw broken
    })
    await expect(throwing()).rejects.toBe(broken)
    await expect(limit(() => Promise.reject(broken))()).rejects.toBe(broken)
  })

  test('that is denied is not called, and rejects with the decision', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 2, window: '1m' }))
    const { ran, work } = counted()
    const limitedWork = limited(limiter, { key: 'all' })(work)
    expect([await limitedWork(), await limitedWork()]).toEqual([1, 2])
    const error = await rejectionOf(limitedWork())
    if (!(error instanceof DeniedError)) throw error
    expect([error.code, error.decision]).toEqual(['SLUICE_DENIED', limiter.peek('all')])
    expect(error.message).toBe(
      'limiter "calls": denied by "default". The same cost is admitted in 60000 ms. ' +
        'Catch this DeniedError, whose "decision" says more, or pass "onDenied" or "wait".',
    )
    expect(ran()).toBe(2)
  })

  test('keeps its name, its length and what was noted on it', () => {
    async function sendMail(to: string, body: string) {
      return to + body
    }
    sendMail.route = '/mail'
    const send = limited(limiterOf(once), { key: 'all' })(sendMail)
    expect([send.name, send.length, send.route]).toEqual(['sendMail', 2, '/mail'])
    expect(send).toBeInstanceOf(Function)
    expect(send).not.toBe(sendMail)
  })

  test('counts together with all that the same limiter limits', async () => {
    const limiter = limiterOf(once)
    const limit = limited(limiter, { key: 'all' })
    await limit(() => 'one')()
    expect((await rejectionOf(limit(() => 'two')())).code).toBe('SLUICE_DENIED')
    expect(limiter.peek('all')).toMatchObject({ allowed: false })
  })
})

describe('its options see the arguments and "this"', () => {
  test('key', async () => {
    const own = { tenant: 'acme' }
    const limiter = limiterOf(once)
    const limit = limited(limiter, {
      key(this: typeof own, kind: string, id: number) {
        return [this.tenant, kind, `${id}`]
      },
    })
    const read = limit(async (kind: string, id: number) => `${kind} ${id}`)
    expect(await read.call(own, 'user', 1)).toBe('user 1')
    expect(await read.call(own, 'user', 2)).toBe('user 2')
    expect((await rejectionOf(read.call(own, 'user', 1))).code).toBe('SLUICE_DENIED')
    expect(limiter.peek(['acme', 'user', '1'])).toMatchObject({ remaining: 0 })
  })

  test('key: one that is promised, and one for each policy', async () => {
    const limiter = limiterOf({ user: once, team: fixedWindow({ limit: 2, window: '1m' }) })
    const limit = limited(limiter, {
      key: {
        user: async (user: string | null, _team: string) => user ?? notLimited,
        team: (_user: string | null, team: string) => team,
      },
    })
    const read = limit(async (user: string | null, team: string) => `${user} ${team}`)
    await read('ada', 'core')
    expect((await rejectionOf(read('ada', 'docs'))).message).toContain('denied by "user"')
    await read(null, 'core')
    expect((await rejectionOf(read('eve', 'core'))).message).toContain('denied by "team"')
  })

  test('key: "notLimited" is not limited, and nothing is counted', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const key = (id: string | null) => id ?? notLimited
    for (const option of [key, { default: key }]) {
      const read = limited(limiter, { key: option })((id: string | null) => id)
      expect(await read(null)).toBe(null)
      expect((await rejectionOf(read('ada'))).code).toBe('SLUICE_DENIED')
    }
    expect(await limited(limiter, { key: notLimited })(() => 'ran')()).toBe('ran')
    expect(await limited(limiter, { key: { default: notLimited } })(() => 'ran')()).toBe('ran')
  })

  test('cost and policies, at once or promised', async () => {
    const limiter = limiterOf(once)
    const limit = limited(limiter, {
      key: (id: string) => id,
      cost: async (_id: string, size: number) => size,
      policies: (_id: string, _size: number, quota: number) =>
        fixedWindow({ limit: quota, window: '1m' }),
    })
    const upload = limit(
      async (id: string, size: number, quota: number) => `${id} ${size} ${quota}`,
    )
    await upload('ada', 7, 10)
    await upload('ada', 3, 10)
    const { message } = await rejectionOf(upload('ada', 1, 10))
    expect(message).toContain('denied by "default"')
    await upload('ada', 1, 11)
    const policies = fixedWindow({ limit: 20, window: '1m' })
    expect(limiter.peek('ada', { policies })).toMatchObject({ remaining: 9 })
  })

  test('onDenied, whose value is given in the place of the function’s', async () => {
    const own = { tenant: 'acme' }
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const seen: unknown[] = []
    const limit = limited(limiter, {
      key: 'all',
      onDenied(this: typeof own, decision, id: string, size: number) {
        seen.push(this, decision, id, size)
        return Promise.resolve('instead')
      },
    })
    const { ran, work } = counted()
    const read = limit(async (id: string, size: number) => `${id} ${size} ${work()}`)
    expect(await read.call(own, 'ada', 5)).toBe('instead')
    expect(seen).toEqual([own, limiter.peek('all'), 'ada', 5])
    expect(ran()).toBe(0)
  })
})

describe('a mistake in a call is never a free pass', () => {
  const untyped = (value: unknown) => value as never

  test.each([
    ['no key', { key: () => untyped(undefined) }, 'SLUICE_KEY_INVALID'],
    ['a key that is null', { key: async () => untyped(null) }, 'SLUICE_KEY_INVALID'],
    ['an empty key', { key: () => '' }, 'SLUICE_KEY_INVALID'],
    ['a number', { key: () => untyped(5) }, 'SLUICE_KEY_INVALID'],
    ['a list as a part', { key: () => untyped(['mail', ['a', 'b']]) }, 'SLUICE_KEY_INVALID'],
    ['a record from a function', { key: () => untyped({ default: 'a' }) }, 'SLUICE_KEY_INVALID'],
    ['a null from a function', { key: () => untyped({ default: null }) }, 'SLUICE_KEY_INVALID'],
    ['no key for a policy', { key: { default: () => untyped(undefined) } }, 'SLUICE_KEY_INVALID'],
    ['a null for a policy', { key: { default: () => untyped(null) } }, 'SLUICE_KEY_INVALID'],
    ['no cost', { key: 'all', cost: () => untyped(undefined) }, 'SLUICE_COST_INVALID'],
    ['a broken cost', { key: 'all', cost: () => 0.5 }, 'SLUICE_COST_INVALID'],
    ['no policies', { key: 'all', policies: () => untyped(undefined) }, 'SLUICE_OPTION_INVALID'],
    ['no policy', { key: 'all', policies: () => untyped({}) }, 'SLUICE_OPTION_MISSING'],
  ])('%s', async (_, options, code) => {
    const limiter = limiterOf(once)
    const { ran, work } = counted()
    const onDenied = () => 5
    expect((await rejectionOf(limited(limiter, { ...options, onDenied })(work)())).code).toBe(code)
    expect([ran(), limiter.peek('all')]).toEqual([0, expect.objectContaining({ remaining: 1 })])
  })

  test('a function that throws', async () => {
    const broken = new Error('broken')
    const fail = () => {
      throw broken
    }
    const { ran, work } = counted()
    for (const options of [
      { key: fail },
      { key: 'all', cost: fail },
      { key: 'all', signal: fail },
    ]) {
      await expect(limited(limiterOf(once), options)(work)()).rejects.toBe(broken)
    }
    expect(ran()).toBe(0)
  })
})
