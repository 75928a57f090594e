import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DeniedError, fixedWindow, limited, notLimited, type Limiter } from '../../src/index.js'
import { rejectionOf } from '../error-of.js'
import { counted, forAll, limiterOf, once, useTimers } from './limited-bench.js'

beforeEach(useTimers)
afterEach(() => {
  vi.useRealTimers()
})

describe('a limited function', () => {
  test('receives the same arguments and "this", and resolves to the same value', async () => {
    const calls: unknown[][] = []
    const own = { tenant: 'acme' }
    function greet(this: typeof own, name: string, ...rest: number[]) {
      calls.push([this, name, ...rest])
      return `hello ${name}`
    }
    const limit = limited(limiterOf(fixedWindow({ limit: 2, window: '1m' })), forAll)
    expect(await limit(greet).call(own, 'ada', 1, 2)).toBe('hello ada')
    expect(await limit(async () => 'later')()).toBe('later')
    expect(calls).toEqual([[own, 'ada', 1, 2]])
    expect(calls[0][0]).toBe(own)
  })

  test('rejects with an error that it throws, or rejects with', async () => {
    const broken = new Error('broken')
    const limit = limited(limiterOf(fixedWindow({ limit: 2, window: '1m' })), forAll)
    const throwing = limit(() => {
      throw broken
    })
    await expect(throwing()).rejects.toBe(broken)
    await expect(limit(() => Promise.reject(broken))()).rejects.toBe(broken)
  })

  test('is not run if the call is denied, and rejects with the decision', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 2, window: '1m' }))
    const { ran, work } = counted()
    const limitedWork = limited(limiter, forAll)(work)
    expect([await limitedWork(), await limitedWork()]).toEqual([1, 2])
    const error = await rejectionOf(limitedWork())
    if (!(error instanceof DeniedError)) throw error
    expect([error.code, error.decision]).toEqual(['SLUICE_DENIED', limiter.peek('all')])
    expect(error.message).toBe(
      'limiter "calls": denied by "default". The same cost is allowed in 60000 ms. ' +
        'Catch this DeniedError, whose "decision" says more, or pass "onDenied" or "wait".',
    )
    expect(ran()).toBe(2)
  })

  test('keeps its name, its length and its properties', () => {
    async function sendMail(to: string, body: string) {
      return to + body
    }
    sendMail.route = '/mail'
    const send = limited(limiterOf(once), forAll)(sendMail)
    expect([send.name, send.length, send.route]).toEqual(['sendMail', 2, '/mail'])
    expect(send).toBeInstanceOf(Function)
    expect(send).not.toBe(sendMail)
  })

  test('counts together with all functions of the same limiter', async () => {
    const limiter = limiterOf(once)
    const limit = limited(limiter, forAll)
    await limit(() => 'one')()
    expect((await rejectionOf(limit(() => 'two')())).code).toBe('SLUICE_DENIED')
    expect(limiter.peek('all')).toMatchObject({ allowed: false })
  })
})

describe('a call of a limited function', () => {
  test('is counted by the key that its arguments and "this" describe', async () => {
    const own = { tenant: 'acme' }
    const limiter = limiterOf(once)
    const limit = limited(limiter, function (this: typeof own, kind: string, id: number) {
      return { key: [this.tenant, kind, id] }
    })
    const read = limit(async (kind: string, id: number) => `${kind} ${id}`)
    expect(await read.call(own, 'user', 1)).toBe('user 1')
    expect(await read.call(own, 'user', 2)).toBe('user 2')
    expect((await rejectionOf(read.call(own, 'user', 1))).code).toBe('SLUICE_DENIED')
    expect(limiter.peek(['acme', 'user', '1'])).toMatchObject({ remaining: 0 })
  })

  test('is counted by a key for each policy, also if a promise describes them', async () => {
    const limiter = limiterOf({ user: once, team: fixedWindow({ limit: 2, window: '1m' }) })
    const limit = limited(limiter, async (user: string | null, team: string) => ({
      key: { user: user ?? notLimited, team },
    }))
    const read = limit(async (user: string | null, team: string) => `${user} ${team}`)
    await read('ada', 'core')
    expect((await rejectionOf(read('ada', 'docs'))).message).toContain('denied by "user"')
    await read(null, 'core')
    expect((await rejectionOf(read('eve', 'core'))).message).toContain('denied by "team"')
  })

  test('with the key "notLimited" is not limited and consumes nothing', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const keyOf = (id: string | null) => id ?? notLimited
    for (const describeCall of [
      (id: string | null) => ({ key: keyOf(id) }),
      (id: string | null) => ({ key: { default: keyOf(id) } }),
    ]) {
      const read = limited(limiter, describeCall)((id: string | null) => id)
      expect(await read(null)).toBe(null)
      expect((await rejectionOf(read('ada'))).code).toBe('SLUICE_DENIED')
    }
  })

  test('has the cost and the policies that its description names', async () => {
    const limiter = limiterOf(once)
    const limit = limited(limiter, (id: string, size: number, quota: number) => ({
      key: id,
      cost: size,
      policies: fixedWindow({ limit: quota, window: '1m' }),
    }))
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

  test('resolves to the value of onDenied if it is denied', async () => {
    const own = { tenant: 'acme' }
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const seen: unknown[] = []
    const limit = limited(limiter, (_id: string, _size: number) => ({ key: 'all' }), {
      onDenied(this: typeof own, decision, id, size) {
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

describe('an invalid description of a call is an error, and never unlimited', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'SLUICE_OPTIONS_INVALID'],
    ['null', null, 'SLUICE_OPTIONS_INVALID'],
    ['a key alone', 'ada', 'SLUICE_OPTIONS_INVALID'],
    ['a list', ['ada'], 'SLUICE_OPTIONS_INVALID'],
    ['"notLimited" alone', notLimited, 'SLUICE_OPTIONS_INVALID'],
    ['an empty object', {}, 'SLUICE_OPTION_MISSING'],
    ['no key', { cost: 1 }, 'SLUICE_OPTION_MISSING'],
    ['an inherited key', Object.create({ key: 'all' }), 'SLUICE_OPTION_MISSING'],
    ['an undefined key', { key: undefined }, 'SLUICE_KEY_INVALID'],
    ['a null key', { key: null }, 'SLUICE_KEY_INVALID'],
    ['an empty key', { key: '' }, 'SLUICE_KEY_INVALID'],
    ['a number', { key: 5 }, 'SLUICE_KEY_INVALID'],
    ['a promise of a key', { key: Promise.resolve('ada') }, 'SLUICE_KEY_OBJECT'],
    ['a function', { key: () => 'ada' }, 'SLUICE_KEY_INVALID'],
    ['another symbol', { key: Symbol('notLimited') }, 'SLUICE_KEY_INVALID'],
    ['a list as a part', { key: ['mail', ['a', 'b']] }, 'SLUICE_KEY_INVALID'],
    ['no key for a policy', { key: { default: undefined } }, 'SLUICE_KEY_INVALID'],
    ['a function for a policy', { key: { default: () => 'ada' } }, 'SLUICE_KEY_INVALID'],
    ['an unknown policy', { key: { default: 'a', other: 'b' } }, 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['an undefined cost', { key: 'all', cost: undefined }, 'SLUICE_COST_INVALID'],
    ['a cost of null', { key: 'all', cost: null }, 'SLUICE_COST_INVALID'],
    ['a broken cost', { key: 'all', cost: 0.5 }, 'SLUICE_COST_INVALID'],
    ['a negative cost', { key: 'all', cost: -1 }, 'SLUICE_COST_INVALID'],
    ['a string as cost', { key: 'all', cost: '1' }, 'SLUICE_COST_INVALID'],
    ['undefined policies', { key: 'all', policies: undefined }, 'SLUICE_OPTION_INVALID'],
    ['null as policies', { key: 'all', policies: null }, 'SLUICE_OPTION_INVALID'],
    ['a number as policies', { key: 'all', policies: 5 }, 'SLUICE_OPTION_INVALID'],
    ['a list of policies', { key: 'all', policies: [once] }, 'SLUICE_OPTION_INVALID'],
    ['no policy', { key: 'all', policies: {} }, 'SLUICE_OPTION_MISSING'],
    ['an object as signal', { key: 'all', signal: {} }, 'SLUICE_OPTION_INVALID'],
    ['null as signal', { key: 'all', signal: null }, 'SLUICE_OPTION_INVALID'],
    ['an unknown field', { key: 'all', name: 'mine' }, 'SLUICE_OPTION_UNKNOWN'],
    ['a misspelled field', { key: 'all', cots: 5 }, 'SLUICE_OPTION_UNKNOWN'],
    ['an option of limited', { key: 'all', wait: { max: '5s' } }, 'SLUICE_OPTION_UNKNOWN'],
    ['a field of another library', { key: 'all', weight: 5 }, 'SLUICE_OPTION_RENAMED'],
    ['an option of a policy', { key: 'all', limit: 5 }, 'SLUICE_OPTION_MISPLACED'],
    ['an unknown field beside "notLimited"', { key: notLimited, id: 5 }, 'SLUICE_OPTION_RENAMED'],
  ])('%s', async (_, description, code) => {
    const limiter = limiterOf(once)
    expect(await codesOf(limiter, () => description)).toEqual(Array(4).fill(code))
    expect(limiter.peek('all')).toMatchObject({ remaining: 1 })
  })

  test('an unknown field is an error that suggests the nearest field', async () => {
    const limit = limited(limiterOf(once), () => ({ key: 'all', cots: 5 }))
    expect((await rejectionOf(limit(() => 'done')())).message).toBe(
      'limiter "calls", limited call: there is no option "cots". Did you mean "cost"? ' +
        'It takes "key", "cost", "policies", "signal".',
    )
  })

  test('a function that throws, or rejects', async () => {
    const broken = new Error('broken')
    const fail = () => {
      throw broken
    }
    const { ran, work } = counted()
    for (const describeCall of [fail, async () => fail()]) {
      await expect(limited(limiterOf(once), describeCall)(work)()).rejects.toBe(broken)
    }
    expect(ran()).toBe(0)
  })
})

describe('a key from JSON is counted or an error, and never unlimited', () => {
  const keyFrom = (text: string) => () => ({ key: JSON.parse(text) as unknown })

  test.each([
    ['null', 'SLUICE_KEY_INVALID'],
    ['true', 'SLUICE_KEY_INVALID'],
    ['1e3', 'SLUICE_KEY_INVALID'],
    ['""', 'SLUICE_KEY_INVALID'],
    ['[]', 'SLUICE_KEY_INVALID'],
    ['[""]', 'SLUICE_KEY_INVALID'],
    ['[null]', 'SLUICE_KEY_INVALID'],
    ['["a",1.5]', 'SLUICE_KEY_INVALID'],
    ['["a",["b"]]', 'SLUICE_KEY_INVALID'],
    ['["a",{"default":"b"}]', 'SLUICE_KEY_INVALID'],
    ['{}', 'SLUICE_KEY_MISSING'],
    ['{"user":"a"}', 'SLUICE_KEY_MISSING'],
    ['{"user":"a","other":"b"}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"user":"a","team":"b","other":"c"}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"__proto__":{"user":"a","team":"b"}}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"user":"a","team":"b","__proto__":"c"}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"constructor":"a"}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"length":0}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"notLimited":true}', 'SLUICE_POLICY_NAME_UNKNOWN'],
    ['{"user":null,"team":null}', 'SLUICE_KEY_INVALID'],
    ['{"user":"a","team":null}', 'SLUICE_KEY_INVALID'],
    ['{"user":"","team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":false,"team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":{},"team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":{"user":"a"},"team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":[],"team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":["a",null],"team":"b"}', 'SLUICE_KEY_INVALID'],
    ['{"user":"@sluice/core: notLimited","team":{}}', 'SLUICE_KEY_INVALID'],
  ])('%s is refused with %s', async (text, code) => {
    const limiter = limiterOf({ user: once, team: once })
    expect(await codesOf(limiter, keyFrom(text))).toEqual(Array(4).fill(code))
    expect(limiter.peek({ user: 'a', team: 'b' })).toMatchObject({ remaining: 1 })
  })

  test.each([
    '"a"',
    '["a",1]',
    '"@sluice/core: notLimited"',
    '{"user":"a","team":"b"}',
    '{"user":["a",1],"team":"@sluice/core: notLimited"}',
  ])('%s is a key, and its calls are counted', async (text) => {
    const limiter = limiterOf({ user: once, team: once })
    const { ran, work } = counted()
    const limitedWork = limited(limiter, keyFrom(text) as never)(work)
    await limitedWork()
    const { code, message } = await rejectionOf(limitedWork())
    expect([code, ran()]).toEqual(['SLUICE_DENIED', 1])
    expect(message).toContain('denied by "user", "team"')
  })
})

/** The error codes of calls of each form. None of the calls runs, and `onDenied` is never called. */
async function codesOf(limiter: Limiter, describeCall: () => unknown): Promise<readonly string[]> {
  const { ran, work } = counted()
  const codes: string[] = []
  for (const wait of [{}, { wait: { max: '1h' } }] as const) {
    for (const describe of [describeCall, async () => describeCall()]) {
      const limit = limited(limiter, describe as never, { ...wait, onDenied: () => 5 })
      codes.push((await rejectionOf(limit(work)())).code)
    }
  }
  expect(ran()).toBe(0)
  return codes
}
