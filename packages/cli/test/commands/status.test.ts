import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import { folderWith, sluice } from '../sluice.js'
import { applicationIn, core, jsonOf } from '../live/application.js'

const redis = useRedis()

test('status shows what the application has counted in each limiter, and counts nothing', async () => {
  const { api, login, sluice } = await applicationIn(redis)
  for (let i = 0; i < 3; i++) await api.consume('ann')
  for (let i = 0; i < 5; i++) await login.consume('ann')
  await login.block({ hour: 'ann', minute: 'other' }, '10m')
  const names = await redis.connection.keys('*')
  const states = await Promise.all(names.map(async (name) => redis.connection.dump(name)))

  const { status, stdout, stderr } = await sluice('status', 'ann')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.replaceAll(/\d+m( \d+s)?|\d+(\.\d)?s/g, 'TIME')
  expect(lines).toBe(`ann

api    default  allowed  3 used, 7 of 10 remain, full in TIME
login  minute   denied   5 used, 0 of 5 remain, full in TIME
login  hour     blocked  for TIME, 5 of 20 used
`)
  expect(await redis.connection.keys('*')).toEqual(names)
  expect(await Promise.all(names.map(async (name) => redis.connection.dump(name)))).toEqual(states)
})

test('status --json has the numbers of the limiters', async () => {
  const { api, sluice } = await applicationIn(redis)
  await api.consume(['user', 42], { cost: 4 })
  const { key, limiters } = jsonOf(
    await sluice('status', '["user",42]', '--json', '--limiter', 'api'),
  )
  const { policies } = await api.status(['user', 42])
  const { resetMs, ...counts } = policies['default']
  expect({ key, limiters }).toEqual({
    key: '|user|42',
    limiters: [
      {
        limiter: 'api',
        key: '|user|42',
        isCounted: true,
        policies: [{ name: 'default', ...counts, resetMs: expect.any(Number) }],
      },
    ],
  })
  expect(resetMs).toBeGreaterThan(0)
})

test('--policy restricts the status to one policy', async () => {
  const { sluice } = await applicationIn(redis)
  const { stdout } = await sluice('status', 'ann', '--limiter', 'login', '--policy', 'hour')
  expect(stdout).toBe('ann\n\nlogin  hour  allowed  0 used, 20 of 20 remain\n')
})

test('status notes that nothing is counted for a key', async () => {
  const { api, sluice } = await applicationIn(redis)
  await api.consume('ann')
  const { stderr } = await sluice('status', 'bob')
  expect(stderr).toMatch(/^note: nothing is counted for bob\. If the application has counted it, /)
  // One of the limiters knows it.
  expect((await sluice('status', 'ann')).stderr).toBe('')
})

test('a bucket that begins with a part of its tokens is counted only for a key that it has seen', async () => {
  const policy = `tokenBucket({ capacity: 10, refill: 1, every: '1h', initial: 2 })`
  const file = `import { tokenBucket } from ${JSON.stringify(core)}
export const slow = { name: 'slow', policies: ${policy} }
`
  const cwd = await folderWith({ 'limiters.mjs': file })
  const place = ['--redis', `redis://127.0.0.1:${redis.port}`, '--limiters', 'limiters.mjs']
  const penalty = ['--reason', 'a test', '--json', ...place]
  const unknown = await sluice(['status', 'ann', ...place], { cwd })
  expect(unknown.stdout).toContain('8 used, 2 of 10 remain')
  expect(unknown.stderr).toMatch(/^note: nothing is counted for ann\./)
  const { stdout } = await sluice(['penalize', 'ann', '1', ...penalty], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ wasCounted: false, isCounted: true })
  expect((await sluice(['status', 'ann', ...place], { cwd })).stderr).toBe('')
})

test('status says which key an address alone has', async () => {
  const { sluice } = await applicationIn(redis)
  const { stdout } = await sluice('status', '203.0.113.9')
  expect(stdout).toMatch(
    /\n\nnote: rateLimit counts this address under the key ip:203\.0\.113\.9\n$/,
  )
  expect((await sluice('status', 'ip:203.0.113.9')).stdout).not.toContain('note:')
})

test('a hostile key is shown as text', async () => {
  const { sluice } = await applicationIn(redis)
  const { stdout } = await sluice('status', 'x\u001b[31m\u202ey')
  expect(stdout).toMatch(/^\["x\\u001b\[31m\\u202ey"\]\n/)
})

test.each([
  [['--limiter', 'logn'], 'there is no limiter "logn". Known: api, login\n(Did you mean login?)'],
  [
    ['--limiter', 'login', '--policy', 'day'],
    '--policy: the limiter "login" has no policy "day". Known: minute, hour',
  ],
  [['--policy', 'hour'], '--policy: the limiter "api" has no policy "hour". Known: default'],
])('status %j is refused', async (args, said) => {
  const { sluice } = await applicationIn(redis)
  expect(await sluice('status', 'ann', ...args)).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: ${said}\n`,
  })
})

test('the URL of Redis can be in the environment', async () => {
  const { api, place, cwd } = await applicationIn(redis)
  await api.consume('ann')
  const env = { SLUICE_REDIS: place[1] }
  const { stdout } = await sluice(['status', 'ann', ...place.slice(2)], { cwd, env })
  expect(stdout).toContain('1 used, 9 of 10 remain')
})

const elsewhere = 'redis://ada:secret@127.0.0.1:1'

test.each([
  ['no place', [], 'state where the counts are: --redis with --limiters or --rules, or --url'],
  [
    'no limits',
    ['--redis', elsewhere],
    'the policies must be known to read the counts: state --li',
  ],
  [
    'no Redis for options',
    ['--limiters', 'limiters.mjs'],
    'the limiter "api" is exported as options, without a store: state --redis\n',
  ],
  [
    'no Redis for rules',
    ['--rules', 'rules.yaml', '--limiters', 'limiters.mjs'],
    '--rules needs --redis',
  ],
  [
    'Redis and a page',
    ['--redis', elsewhere, '--url', 'http://127.0.0.1:1'],
    `option '--url <url>' cannot be used with option '--redis <url>'`,
  ],
  [
    'a Redis that cannot be reached',
    ['--redis', elsewhere, '--limiters', 'limiters.mjs'],
    'no connection to redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  ],
  [
    'a Cluster that cannot be reached',
    ['--redis', elsewhere, '--limiters', 'limiters.mjs', '--cluster'],
    'no connection to redis://127.0.0.1:1: no node accepts a connection\n',
  ],
  [
    'another URL',
    ['--redis', 'http://ada:secret@localhost', '--limiters', 'limiters.mjs'],
    'http://localhost is not the URL of a Redis server, such as redis://localhost:6379\n',
  ],
])('with %s, the command fails with one sentence', async (_, args, said) => {
  const cwd = await folderWith({
    'limiters.mjs': `export const api = { name: 'api', limit: 1, window: '1m' }`,
    'rules.yaml': 'version: 1\nname: shop\nrules: [{ id: all, limit: 1, window: 1m }]\n',
  })
  const { status, stdout, stderr } = await sluice(['status', 'ann', ...args], { cwd })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr.slice(0, 7 + said.length)).toBe(`error: ${said}`)
})

test('a limiter in the memory of an application cannot be read', async () => {
  const { cwd } = await applicationIn(redis)
  const text = `import { createLimiter } from ${JSON.stringify(new URL('../../../core/bundle/index.js', import.meta.url).href)}
export const api = createLimiter({ name: 'api', limit: 1, window: '1m' })`
  const memory = await folderWith({ 'memory.mjs': text })
  const { status, stderr } = await sluice(['status', 'ann', '--limiters', `${memory}/memory.mjs`], {
    cwd,
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^error: the limiter "api" keeps its counts in the memory of the application/,
  )
})
