import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { redisStore } from '../../src/index.js'
import { errorOf } from '../error-of.js'

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
    ['a client over HTTP', { evalsha: call, eval: call }, 'keys "evalsha", "eval".'],
    ['half a client', { evalSha: call, isCluster: false }, 'keys "evalSha", "isCluster".'],
  ])('%s', (_, client, words) => {
    const error = errorOf(() => store(client))
    expect(error.code).toBe('SLUICE_CLIENT_INVALID')
    expect(error.message).toContain(words)
    expect(error.message).toContain('redisStore(new Redis(url))')
    expect(error.message).not.toContain('secret@')
  })
})

test.each([
  ['ioredis', { evalsha: call, eval: call, isCluster: false }],
  ['node-redis', { evalSha: call, eval: call, on() {} }],
  ['a client of one’s own', { evalSha: call, eval: call, isCluster: true }],
])('a client with the methods of %s is accepted', (_, client) => {
  expect(store(client).async).toBe(true)
})
