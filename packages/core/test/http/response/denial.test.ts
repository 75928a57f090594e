import { expect, test } from 'vitest'
import { sluiceError } from '../../../src/errors.js'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  slidingWindow,
  type AsyncStore,
} from '../../../src/index.js'
import { errorOf, rejectionOf } from '../../error-of.js'
import { rulesOf } from '../judged.js'
import {
  denialOf,
  fieldsOf,
  guardOf,
  handlingOf,
  start,
  type Options,
  type Visit,
} from '../visit.js'

const once: Options = { policies: fixedWindow({ limit: 1, window: '30s' }) }

/** The denial of the second request, after the first was allowed. */
async function denial(options: Options, accept?: string | string[]) {
  const check = guardOf(options)
  expect((await check()).type).toBe('continue')
  return denialOf(await check({}, accept === undefined ? {} : { headers: { accept } }))
}

test('sends a 429 with a problem that contains the policies and the time to retry', async () => {
  const { status, body } = await denial(once)
  expect(status).toBe(429)
  expect(JSON.parse(body)).toEqual({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Request cannot be satisfied as assigned quota has been exceeded',
    status: 429,
    detail: 'Try again in 30 seconds.',
    'violated-policies': ['default'],
  })
})

test('a denial has the rate limit headers, Retry-After and the media type', async () => {
  expect(fieldsOf(await denial(once))).toEqual({
    'RateLimit-Policy': '"default";q=1;w=30',
    RateLimit: '"default";r=0;t=30',
    'Retry-After': '30',
    'Content-Type': 'application/problem+json',
  })
})

test('a problem contains the names of the policies that deny', async () => {
  const policies = {
    'per "user"': fixedWindow({ limit: 1, window: '1m' }),
    größe: fixedWindow({ limit: 1, window: '1h' }),
    wide: fixedWindow({ limit: 100, window: '1h' }),
  }
  const { body, headers } = await denial({ policies })
  expect(JSON.parse(body)['violated-policies']).toEqual(['per "user"', 'größe'])
  expect(new Map(headers).get('Retry-After')).toBe('3600')
})

test.each([
  [undefined, 'application/problem+json'],
  ['', 'application/problem+json'],
  ['*/*', 'application/problem+json'],
  ['application/problem+json', 'application/problem+json'],
  ['application/json', 'application/problem+json'],
  ['application/*', 'application/problem+json'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/*', 'text/plain; charset=utf-8'],
  ['text/plain, application/json;q=0.9', 'text/plain; charset=utf-8'],
  ['text/plain;q=0.5, application/problem+json', 'application/problem+json'],
  ['text/plain;q=0, */*', 'application/problem+json'],
  ['application/problem+json;q=0, application/json;q=0, */*', 'text/plain; charset=utf-8'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/problem+json'],
  ['image/png', 'application/problem+json'],
  ['nonsense', 'application/problem+json'],
  [['image/png', 'text/plain'], 'text/plain; charset=utf-8'],
])('sends the Accept header %j a body of type %s', async (accept, type) => {
  expect(fieldsOf(await denial(once, accept))['Content-Type']).toBe(type)
})

test('the plain text has the same content', async () => {
  expect((await denial(once, 'text/plain')).body).toBe(
    'Request cannot be satisfied as assigned quota has been exceeded. Try again in 30 seconds.\n',
  )
})

test.each([
  [1, '1', 'Try again in 1 second.'],
  [999, '1', 'Try again in 1 second.'],
  [1000, '1', 'Try again in 1 second.'],
  [1001, '2', 'Try again in 2 seconds.'],
  [60_000, '60', 'Try again in 1 minute.'],
  [7_200_000, '7200', 'Try again in 2 hours.'],
  [315_360_000_000, '315360000', 'Try again in 10 years.'],
])('rounds a wait of %i ms up to %s s', async (window, seconds, detail) => {
  const answer = await denial({ policies: fixedWindow({ limit: 1, window }) })
  expect(fieldsOf(answer)['Retry-After']).toBe(seconds)
  expect(JSON.parse(answer.body).detail).toBe(detail)
})

test('the wait is until the request fits, not until the quota is full', async () => {
  const check = guardOf({
    policies: gcra({ limit: 60, window: '1m' }),
    cost: ({ size = 60 }) => size,
  })
  await check({ size: 60 })
  expect(fieldsOf(await check({ size: 1 }))['Retry-After']).toBe('1')
  expect(fieldsOf(await check({ size: 10 }))['Retry-After']).toBe('10')
})

test('for a cost that can never fit, says that waiting does not help, and the wait is until the quota is full', async () => {
  const check = guardOf({
    policies: fixedWindow({ limit: 5, window: '30s' }),
    cost: ({ size = 1 }) => size,
  })
  const onFull = denialOf(await check({ size: 6 }))
  expect(JSON.parse(onFull.body).detail).toBe(
    'The request asks for more than the quota can ever give, so waiting does not help.',
  )
  expect(fieldsOf(onFull)['Retry-After']).toBe('1')
  await check()
  expect(fieldsOf(await check({ size: 6 }))['Retry-After']).toBe('30')
})

test('sends a string of the application as plain text', async () => {
  const answer = await denial({ ...once, body: 'slow down' }, 'application/json')
  expect(answer.body).toBe('slow down')
  expect(fieldsOf(answer)['Content-Type']).toBe('text/plain; charset=utf-8')
})

test.each([{ error: 'slow down' }, { type: 'about:blank', title: 'Slow down' }, ['slow', 'down']])(
  'sends the object %j of the application as JSON, unchanged',
  async (body) => {
    const answer = await denial({ ...once, body }, 'text/plain')
    expect(JSON.parse(answer.body)).toEqual(body)
    expect(fieldsOf(answer)['Content-Type']).toBe('application/json')
  },
)

test('calls the function for the body with the request and the decision', async () => {
  const check = guardOf({
    ...once,
    body: ({ user }, { retryAfterMs, deniedBy }) => ({ user, retryAfterMs, deniedBy }),
  })
  await check()
  const answer = denialOf(await check({ user: 'ada' }))
  expect(JSON.parse(answer.body)).toEqual({
    user: 'ada',
    retryAfterMs: 30_000,
    deniedBy: ['default'],
  })
})

test('waits for the promise of a body', async () => {
  const check = guardOf({ ...once, body: async ({ user }: Visit) => `not now, ${user}` })
  await check()
  const answer = denialOf(await check({ user: 'ada' }))
  expect(answer.body).toBe('not now, ada')
  expect(fieldsOf(answer)['Content-Type']).toBe('text/plain; charset=utf-8')
})

const cyclic: { self?: object } = {}
cyclic.self = cyclic
const failing = new TypeError('no JSON')

const unsendable: [name: string, body: unknown, cause: unknown][] = [
  ['null', null, undefined],
  ['5', 5, undefined],
  ['a bigint', 1n, undefined],
  ['an object with a bigint', { a: 1n }, expect.any(TypeError)],
  ['a list with a bigint', [[1n]], expect.any(TypeError)],
  ['an object with a cycle', cyclic, expect.any(TypeError)],
  ['an object without a JSON form', { toJSON: () => undefined }, undefined],
  ['an object whose method fails', { toJSON: fail }, failing],
]

test.each(unsendable)('refuses %s as the body, when the limiter is made', (_, body, cause) => {
  const rules = rulesOf({ type: 'pass', version: 'v1', tags: [] })
  for (const options of [once, { rules }]) {
    const error = errorOf(() => guardOf({ ...options, body: body as string }))
    expect([error.code, error.cause]).toEqual(['SLUICE_OPTION_INVALID', cause])
    expect(error.message).toMatch(/^rateLimit: "body" is .*\. Pass a string/)
  }
})

test.each([['undefined', undefined, undefined], ...unsendable])(
  'refuses %s as the result of a function for the body, for that request',
  async (_, body, cause) => {
    const check = guardOf({ ...once, body: () => body as string })
    expect((await check()).type).toBe('continue')
    const error = await rejectionOf(check())
    expect([error.code, error.status, error.cause]).toEqual([
      'SLUICE_RESULT_INVALID',
      undefined,
      cause,
    ])
    expect(error.message).toMatch(/^rateLimit: the function "body" returned .*\. Return a string/)
  },
)

function fail(): never {
  throw failing
}

test('the status of the application is in the response and in the problem', async () => {
  const answer = await denial({ ...once, statusCode: 503 })
  expect(answer.status).toBe(503)
  expect(JSON.parse(answer.body).status).toBe(503)
  expect(fieldsOf(answer)['Retry-After']).toBe('30')
})

const handler = () => 'handled'

test('passes a denial to the handler of the application, with all headers except the type', async () => {
  const check = guardOf({ ...once, onDenied: handler })
  expect((await check()).type).toBe('continue')
  const outcome = handlingOf(await check())
  expect(outcome).toMatchObject({
    type: 'handle',
    decision: expect.objectContaining({ allowed: false, retryAfterMs: 30_000 }),
    headers: [
      ['RateLimit-Policy', '"default";q=1;w=30'],
      ['RateLimit', '"default";r=0;t=30'],
      ['Retry-After', '30'],
    ],
  })
  expect(await outcome.callHandler((given) => given(outcome.decision))).toBe('handled')
})

test('removes Retry-After once from a denial that the application lets continue', async () => {
  const check = guardOf({ ...once, onDenied: handler })
  await check()
  const removed: string[] = []
  const headers = {
    getHeader() {},
    setHeader() {},
    removeHeader: (name: string) => removed.push(name),
  }
  const outcome = handlingOf(await check())
  outcome.proceed(headers)
  outcome.proceed(headers)
  expect(removed).toEqual(['Retry-After'])
})

const thrower = (value: unknown) => (): never => {
  throw value
}

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['a string', 'route'],
])(
  'turns %s into an error if the handler of a denial throws it or rejects with it',
  async (_, value) => {
    const check = guardOf({ ...once, onDenied: handler })
    await check()
    const { callHandler } = handlingOf(await check())
    const error = await rejectionOf(callHandler(thrower(value)))
    expect([error.code, error.cause]).toEqual(['SLUICE_THROWN', value])
    const later = await rejectionOf(Promise.resolve(callHandler(async () => thrower(value)())))
    expect([later.code, later.cause]).toEqual(['SLUICE_THROWN', value])
  },
)

test('rethrows an error of the handler of a denial unchanged', async () => {
  const check = guardOf({ ...once, onDenied: handler })
  await check()
  const { callHandler } = handlingOf(await check())
  const error = new Error('broken')
  await expect(callHandler(thrower(error))).rejects.toBe(error)
  await expect(callHandler(async () => thrower(error)())).rejects.toBe(error)
})

test('Retry-After is 1 if only concurrency denies', async () => {
  const slots = concurrency({ limit: 1, lease: '10m' })
  const rate = fixedWindow({ limit: 1, window: '30s' })
  const both = await denial({ policies: { slots, rate }, body: '' })
  const only = await denial({ policies: { slots, rate: fixedWindow({ limit: 9, window: '30s' }) } })
  expect([both, only].map((answer) => fieldsOf(answer)['Retry-After'])).toEqual(['30', '1'])
  expect(JSON.parse(only.body)).toMatchObject({
    detail: 'Try again in 1 second.',
    'violated-policies': ['slots'],
  })
})

test('Retry-After is the end of the block if a block of concurrency denies', async () => {
  const policy = concurrency({ limit: 1, lease: '10m', block: { for: '1h', on: 'exceeded' } })
  expect(fieldsOf(await denial({ policies: policy }))['Retry-After']).toBe('3600')
})

test('Retry-After is 1 if other requests wait for a unit of concurrency', async () => {
  const slots = concurrency({ limit: 1, lease: '10m' })
  const check = guardOf({ policies: slots, wait: { max: 60 } })
  await check()
  const denials = await Promise.all([check(), check(), check()])
  expect(denials.map((action) => fieldsOf(action)['Retry-After'])).toEqual(['1', '1', '1'])
})

test('Retry-After is never earlier than the t of a policy that denies', async () => {
  const policy = slidingWindow({ limit: 10, window: '1m', block: { for: '10s', on: 'reached' } })
  let now = start
  const check = guardOf({
    policies: policy,
    cost: ({ size = 1 }) => size,
    clock: () => now,
  })
  await check({ size: 10 })
  now += 1000
  const fields = fieldsOf(await check({ size: 0 }))
  const t = /t=(\d+)/.exec(fields['RateLimit'])?.[1]
  // The block ends in 9 s; then a request of cost 0 is allowed. The first unit becomes available later.
  expect([
    denialOf(await check({ size: 0 })).decision?.retryAfterMs,
    fields['Retry-After'],
  ]).toEqual([9000, t])
  expect(Number(t) > 9).toBe(true)
})

const types = 'https://iana.org/assignments/http-problem-types#'

/** A store that is unavailable. */
function unavailable(): AsyncStore {
  return {
    async: true,
    run: async (requests) => requests.map(() => sluiceError('SLUICE_STORE_UNAVAILABLE', 'test')),
    ping: async () => false,
    close: async () => {},
  }
}

test.each<[string, Options, string, string]>([
  ['a quota', once, 'quota-exceeded', 'as assigned quota has been exceeded'],
  [
    'a block',
    { policies: fixedWindow({ limit: 1, window: '30s', block: { for: '1h' } }) },
    'abnormal-usage-detected',
    'due to detection of abnormal request pattern',
  ],
  [
    'a block that the denial starts',
    { policies: fixedWindow({ limit: 1, window: '30s', block: { for: '1h', on: 'exceeded' } }) },
    'abnormal-usage-detected',
    'due to detection of abnormal request pattern',
  ],
  [
    'the whole limit in this process while the store is unavailable',
    { ...once, store: unavailable() },
    'quota-exceeded',
    'as assigned quota has been exceeded',
  ],
  [
    'a share of the limit',
    { policies: fixedWindow({ limit: 4, window: '30s' }), store: unavailable(), localShare: 0.25 },
    'temporary-reduced-capacity',
    'due to temporary server capacity constraints',
  ],
  [
    'a block under a share of the limit',
    {
      policies: fixedWindow({ limit: 4, window: '30s', block: { for: '1h' } }),
      store: unavailable(),
      localShare: 0.25,
    },
    'abnormal-usage-detected',
    'due to detection of abnormal request pattern',
  ],
  [
    "onStoreError: 'deny'",
    { ...once, store: unavailable(), onStoreError: 'deny' },
    'temporary-reduced-capacity',
    'due to temporary server capacity constraints',
  ],
])('the problem type tells that the cause is %s', async (_, options, type, title) => {
  const check = guardOf({ ...options, key: 'all' })
  await check()
  const problem = JSON.parse(denialOf(await check()).body)
  expect(problem.type).toBe(`${types}${type}`)
  expect(problem.title.endsWith(title)).toBe(true)
  expect(problem['violated-policies']).toEqual(['default'])
})

test('the problem type tells that the cause is limiter.block', async () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 5, window: '30s' })
  createLimiter({ name: 'x', policies: policy, store, clock: () => start }).block('all', '1h')
  const check = guardOf({ name: 'x', policies: policy, store, key: 'all' })
  expect(JSON.parse(denialOf(await check()).body).type).toBe(`${types}abnormal-usage-detected`)
})

test('ignores an Accept header that is longer than 512 characters', async () => {
  const long = (length: number) => 'text/plain'.padEnd(length, ', text/plain')
  const types = await Promise.all(
    [512, 513, 16_000].map(
      async (length) => fieldsOf(await denial(once, long(length)))['Content-Type'],
    ),
  )
  expect(types).toEqual([
    'text/plain; charset=utf-8',
    'application/problem+json',
    'application/problem+json',
  ])
  const list = Array.from({ length: 100 }, () => 'text/plain')
  expect(fieldsOf(await denial(once, list))['Content-Type']).toBe('application/problem+json')
})

test('the wait of a sliding window starts from now', async () => {
  let now = start
  const check = guardOf({
    policies: slidingWindow({ limit: 2, window: '10s' }),
    clock: () => now,
  })
  await check()
  await check()
  now += 2500
  expect(fieldsOf(await check())['Retry-After']).toBe('8')
})
