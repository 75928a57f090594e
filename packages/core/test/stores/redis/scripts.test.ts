import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import { redisScripts } from '../../../src/internal.js'
import { errorOf } from '../../error-of.js'

const redis = useRedis()
const echo = `redis.call('INCR', KEYS[1])
return {KEYS[1], ARGV[1] or '', #ARGV}`

test('a script runs with its keys and its arguments', async () => {
  const { run, isCluster } = redisScripts(redis.connection, 'test')
  expect(isCluster).toBe(false)
  for (let i = 0; i < 3; i++) {
    expect(await run(echo, ['{a}:1'], ['one', 'two'])).toEqual(['{a}:1', 'one', 2])
  }
  expect(await redis.connection.get('{a}:1')).toBe('3')
  await expect(run('return redis.call("GET")', [], [])).rejects.toThrow('Wrong number of args')
})

test('a script runs again after the server has forgotten it', async () => {
  const { run } = redisScripts(redis.connection, 'test')
  await run(echo, ['forgotten'], [])
  await redis.connection.script('FLUSH')
  await run(echo, ['forgotten'], [])
  expect(await redis.connection.get('forgotten')).toBe('2')
})

test('the error of a value that is not a client names the function', () => {
  const error = errorOf(() => redisScripts('redis://:secret@localhost' as never, 'view'))
  expect(error.code).toBe('SLUICE_CLIENT_INVALID')
  expect(error.message).toContain('view: the client is a string.')
  expect(error.message).toContain('view(new Redis(url))')
})
