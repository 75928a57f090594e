import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { redisStore, restClient, type Duration, type RedisClient } from '../../../src/index.js'
import { databaseStore, type Database } from '../../../src/stores/database/index.js'
import { errorOf } from '../../error-of.js'

const call = async (): Promise<unknown> => []
// Called without types, as from JavaScript.
const store = (client: unknown) => redisStore(client as never)

describe('a value that is not a client is refused, and the error describes it', () => {
  test.each([
    ['nothing', undefined, 'the client is undefined.'],
    ['null', null, 'the client is null.'],
    ['a URL', 'redis://:secret@localhost:6379', 'the client is a string.'],
    ['nothing in an object', {}, 'the client is an empty object.'],
    ['options', { host: 'localhost', password: 'secret' }, 'keys "host", "password".'],
    ['a class', Redis, 'the client is a function.'],
    ['a promise', Promise.resolve(), 'the client is a promise, which has to be awaited first.'],
    ['node-redis 3', { evalsha: call, eval: call, internal_send_command: call }, 'node-redis 3'],
    ['legacyMode of node-redis 4', { evalsha: call, evalSha: call, eval: call }, 'its "v4"'],
    ['@upstash/redis', { evalsha: call, eval: call }, 'over HTTP, which may send a call twice'],
    ['half a client of Bun', { send: call }, 'keys "send".'],
    ['half a client', { evalSha: call, isCluster: false }, 'keys "evalSha", "isCluster".'],
  ])('%s', (_, client, words) => {
    const error = errorOf(() => store(client))
    expect(error.code).toBe('SLUICE_CLIENT_INVALID')
    expect(error.message).toContain(words)
    expect(error.message).toContain('redisStore(new Redis(url))')
    expect(error.message).toContain('redisStore(restClient({ url, token }))')
    expect(error.message).not.toContain('secret@')
  })
})

test.each([
  ['ioredis', { evalsha: call, eval: call, isCluster: false }],
  ['node-redis', { evalSha: call, eval: call, on() {} }],
  ['the RedisClient of Bun', { send: call, connected: true }],
  ['a client of one’s own', { evalSha: call, eval: call, isCluster: true }],
])('a client with the methods of %s is accepted', (_, client) => {
  expect(store(client).async).toBe(true)
})

test('the commands of Bun are passed to its `send`', async () => {
  const sent: unknown[] = []
  const client = {
    connected: true,
    send: async (...command: unknown[]) => {
      sent.push(command)
      return [1]
    },
  }
  await store(client).ping()
  expect(sent).toEqual([['EVAL', expect.arrayContaining(['0', 'peek'])]])
})

describe('restClient', () => {
  const url = 'https://example.upstash.io'
  // Called without types, as from JavaScript.
  const refused = (options: unknown): string => errorOf(() => restClient(options as never)).message

  test.each([
    ['no options', undefined, 'restClient: the options are undefined'],
    ['no url', { token: 'secret' }, 'restClient: "url" is missing'],
    ['no token', { url }, 'restClient: "token" is missing'],
    [
      'an unknown option',
      { url, token: 'secret', retry: 3 },
      'restClient: there is no option "retry"',
    ],
    ['another fetch', { url, token: 'secret', fetch: 1 }, '"fetch" is 1'],
    ['a number as url', { url: 1, token: 'secret' }, '"url" is 1. Pass the address'],
    [
      'Redis',
      { url: 'rediss://default:secret@h', token: 'x' },
      'of the Redis protocol, and not of',
    ],
    ['a host', { url: 'example.upstash.io', token: 'x' }, 'a string that is not an HTTP address'],
    ['a user', { url: 'https://u:secret@h', token: 'x' }, 'an address with a user or a password'],
    ['an empty token', { url, token: '' }, '"token" is an empty string'],
    ['two lines', { url, token: 'secret\n' }, 'characters that a header cannot contain'],
    ['a token as a header', { url, token: 'Bearer secret' }, 'characters that a header cannot'],
  ])('refuses %s, and does not show a secret', (_, options, words) => {
    expect(refused(options)).toContain(words)
    expect(refused(options)).not.toContain('secret')
  })
})

test('a timeout is at most 24 days, because a longer timer would fire at once', () => {
  const client: RedisClient = { isCluster: false, evalSha: call, eval: call }
  const database: Database = {
    name: 'map',
    load: () => Promise.reject(new Error('not called')),
    save: () => Promise.reject(new Error('not called')),
  }
  const stores: readonly ((options: { readonly timeout: Duration }) => unknown)[] = [
    (options) => redisStore(client, options),
    (options) => databaseStore(database, options),
  ]
  for (const open of stores) {
    expect(() => open({ timeout: '24d' })).not.toThrow()
    const error = errorOf(() => open({ timeout: '25d' }))
    expect(error.code).toBe('SLUICE_OPTION_INVALID')
    expect(error.message).toContain('"timeout"')
    expect(error.message).toContain('24 days')
  }
})
