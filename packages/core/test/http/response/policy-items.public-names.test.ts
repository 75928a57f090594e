import { parseList } from 'structured-headers'
import { describe, expect, test } from 'vitest'
import { fixedWindow, unlimited } from '../../../src/index.js'
import { createGuard, inOrder, type Guard } from '../../../src/http/index.js'
import type { EarlierHeaders } from '../../../src/http/response/fields.js'
import {
  denialOf,
  fieldsOf,
  noHeaders,
  response,
  start,
  viewOf,
  type Handler,
  type Options,
  type Visit,
} from '../visit.js'

const shared = { key: 'all', clock: () => start } as const
const none = fixedWindow({ limit: 0, window: '1m' })
const more = fixedWindow({ limit: 0, window: '1h' })

type Made = Guard<Visit, Handler>

/** The names of policies in a denial: those of the two fields, which have to be equal, and those of the problem. */
async function namesIn(guard: Made, earlier: EarlierHeaders = noHeaders) {
  const action = denialOf(await guard.check(viewOf({}), response, earlier))
  const fields = fieldsOf(action)
  const [policies, limits] = [fields['RateLimit-Policy'], fields['RateLimit']].map((field) =>
    parseList(field).map(([name]) => name),
  )
  expect(policies).toEqual(limits)
  return { names: policies, violated: JSON.parse(action.body)['violated-policies'] }
}

async function namesBy(options: Options, earlier?: EarlierHeaders) {
  return namesIn(createGuard({ ...shared, ...options }), earlier)
}

/** The headers of a response that has this field already. */
function having(value: unknown): EarlierHeaders {
  return { getHeader: (name) => (name === 'RateLimit' ? value : undefined) }
}

describe('a policy without a name of its own', () => {
  test.each<[string, Options]>([
    ['limit and window', { limit: 0, window: '1m' }],
    ['a limit by request', { limit: () => 0, window: '1m' }],
    ['one policy in "policies"', { policies: none }],
    ['one policy by request', { policies: async () => none }],
  ])('has the name of its limiter: %s', async (_, options) => {
    const names = { names: ['api'], violated: ['api'] }
    expect(await namesBy({ name: 'api', ...options })).toEqual(names)
    const withoutName = { names: ['default'], violated: ['default'] }
    expect(await namesBy(options)).toEqual(withoutName)
  })

  test('has the name of its route, if the limiter has no other', async () => {
    const guard = createGuard<Visit, Handler>({ ...shared, policies: none }, 'GET /items/:id')
    expect(await namesIn(guard)).toEqual({
      names: ['GET /items/:id'],
      violated: ['GET /items/:id'],
    })
  })

  test('has that name encoded as a structured string', async () => {
    const name = 'say "hi" \\ Zürich 100 %'
    const { names, violated } = await namesBy({ name, policies: none })
    expect([names.map((one) => decodeURIComponent(String(one))), violated]).toEqual([
      [name],
      [name],
    ])
  })

  test('keeps its name "default" in the decision', async () => {
    const guard = createGuard<Visit, Handler>({ ...shared, name: 'api', policies: none })
    const { decision } = await guard.check(viewOf({}), response, noHeaders)
    expect([decision?.deniedBy, Object.keys(decision?.policies ?? {})]).toEqual([
      ['default'],
      ['default'],
    ])
  })
})

test('a named policy keeps its name, also if that is "default"', async () => {
  for (const policies of [{ default: none, day: more }, { default: none }]) {
    const names = Object.keys(policies)
    expect(await namesBy({ name: 'api', policies })).toEqual({ names, violated: names })
    expect(await namesBy({ name: 'api', policies: () => policies })).toEqual({
      names,
      violated: names,
    })
  }
})

describe('a name that the response has already', () => {
  test.each<[string, unknown, string]>([
    ['once', '"api";r=1;t=5', 'api-2'],
    ['twice', '"api";r=1, "api-2";r=1', 'api-3'],
    ['with a gap', '"api-3";r=1, "api";r=1', 'api-2'],
    ['in several fields', ['"other";r=1', '"api";r=1'], 'api-2'],
    ['behind another with a comma', '"a, \\"api\\"";r=1, "api";r=1', 'api-2'],
    ['only inside of another', '"a, \\"api\\"";r=1', 'api'],
    ['only as the start of another', '"api-2";r=1, "apis";r=1', 'api'],
    ['only as a parameter', '"other";r=1;x="api"', 'api'],
    ['only behind a parameter with a comma', '"other";x="b, \\"api\\"";r=1', 'api'],
    ['in another style', 'limit=1, remaining=1, reset=5', 'api'],
    ['not at all', undefined, 'api'],
  ])('gets a number: %s', async (_, earlier, name) => {
    const found = { names: [name], violated: [name] }
    expect(await namesBy({ name: 'api', policies: none }, having(earlier))).toEqual(found)
    expect(await namesBy({ policies: { api: none } }, having(earlier))).toEqual(found)
  })

  test('gets a number in the problem, also if this limiter writes no list', async () => {
    const guard = createGuard<Visit, Handler>({
      ...shared,
      name: 'api',
      policies: none,
      headers: 'legacy',
    })
    const action = denialOf(await guard.check(viewOf({}), response, having('"api";r=1')))
    expect(JSON.parse(action.body)['violated-policies']).toEqual(['api-2'])
  })

  test('gets a number in each limit of a list, in their order', async () => {
    const guards = [
      createGuard<Visit, Handler>({ ...shared, name: 'api', limit: 5, window: '1m' }),
      createGuard<Visit, Handler>({ ...shared, policies: { other: unlimited() } }),
      createGuard<Visit, Handler>({ ...shared, name: 'api', limit: 6, window: '1h' }),
      createGuard<Visit, Handler>({ ...shared, policies: { 'api-2': none, api: none } }),
    ]
    expect(await namesIn(inOrder(guards), having('"api";r=7'))).toEqual({
      names: ['api-2', 'api-3', 'api-2-2', 'api-4'],
      violated: ['api-2-2', 'api-4'],
    })
  })
})
