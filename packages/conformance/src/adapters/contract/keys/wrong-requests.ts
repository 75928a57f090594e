import { fixedWindow } from '@sluice/core'
import { byHeader, byIp, byUser, firstOf } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { NeutralOptions, OptionsFor, Readers } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { statuses } from './keys.js'

const policy = fixedWindow({ limit: 2, window: '1m' })

/** A value of the client's JSON. Its type says string, because an application expects one. */
function written<R>({ header }: Readers<R>): (request: R) => string {
  return (request) => JSON.parse(header(request, 'x-json') ?? 'null')
}

const wrongValues = ['null', '{}', '{"default":null}', '{"default":"x"}', '["138","x"]', 'true']

const keysOfJson: readonly (readonly [string, OptionsFor])[] = [
  ['a function', (read) => ({ policies: policy, key: written(read) })],
  ['a function for a policy', (read) => ({ policies: policy, key: { default: written(read) } })],
  ['a part', (read) => ({ policies: policy, key: ['phone', written(read)] })],
  [
    'a function that puts parts together',
    (read) => ({ policies: policy, key: (request) => ['phone', written(read)(request)] }),
  ],
  ['byUser', (read) => ({ policies: policy, key: byUser(written(read)) })],
]

/** A list may be a key. The parsed input of the framework shows whether the client sent it. */
const tellsLists = keysOfJson.filter(
  ([from]) => !from.startsWith('a function for') && from !== 'a function',
)

export function describeWrongRequests(open: OpenServer): void {
  describe.each(['framework', 'application'] as const)('errors, handled by the %s', (handling) => {
    const opened: OpenServer = async (options) => open(options, { handling })

    test.each<[string, NeutralOptions<unknown>]>([
      ['a header', { policies: policy, key: byHeader('X-API-Key') }],
      ['a part', { policies: policy, key: ['key', byHeader('X-API-Key')] }],
      ["a policy's key", { policies: policy, key: { default: byHeader('X-API-Key') } }],
      [
        'what firstOf needs',
        {
          policies: policy,
          key: firstOf(
            byUser(() => null),
            byHeader('X-API-Key'),
          ),
        },
      ],
      ['its user', { policies: policy, key: byUser(async () => undefined) }],
    ])('are 400 if the request lacks %s', async (_, options) => {
      const server = await opened(options)
      expect([(await server.get()).status, (await server.get()).status]).toEqual([400, 400])
      expect([server.reached, server.verbs]).toEqual([[], []])
    })

    test.each(keysOfJson)(
      'are 400 if JSON is not a key, by %s: the request is not allowed',
      async (from, options) => {
        const server = await opened(options)
        const values = tellsLists.some(([name]) => name === from)
          ? wrongValues
          : wrongValues.filter((value) => !value.startsWith('['))
        expect(await statuses(server, 'x-json', values)).toEqual(values.map(() => 400))
        expect([server.reached, server.verbs]).toEqual([[], []])
        expect(await statuses(server, 'x-json', ['"a"', '"a"', '"a"'])).toEqual([200, 200, 429])
      },
    )

    test('are 400 if a repeated query parameter is a list', async () => {
      const server = await opened(({ query }) => ({
        policies: policy,
        key: (request) => query(request, 'n'),
      }))
      const found: number[] = []
      for (const path of ['/?n=a', '/?n=a', '/?n=a', '/?n=a&n=b', '/?n=a&n=c', '/?n=b', '/']) {
        found.push((await server.get({}, path)).status)
      }
      expect(found).toEqual([200, 200, 429, 400, 400, 200, 400])
    })

    test.each<[string, NeutralOptions<unknown>]>([
      ['a key function fails', { policies: policy, key: () => JSON.parse('{') }],
      ['a cost is none', { policies: policy, key: byIp(), cost: () => NaN }],
      ['a key is for another policy', { policies: () => policy, key: { other: 'a' } }],
    ])('are 500 if the application is wrong: %s', async (_, options) => {
      const server = await opened(options)
      expect((await server.get()).status).toBe(500)
      expect([server.reached, server.verbs]).toEqual([[], []])
    })
  })
}
