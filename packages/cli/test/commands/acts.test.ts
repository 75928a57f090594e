import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import { applicationIn, jsonOf } from '../live/application.js'

const redis = useRedis()

test('block denies the key in the application, and unblock ends it', async () => {
  const { api, sluice } = await applicationIn(redis)
  const { status, stdout, stderr } = await sluice(
    'block',
    'ann',
    '10m',
    '--limiter',
    'api',
    '--reason',
    'an attack',
  )
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr:
      'note: nothing was counted for ann. If the application has counted it, its key, the name of its limiter or its --prefix is another\n',
  })
  expect(stdout).toMatch(
    /^blocked ann for 10m \(an attack\)\n\napi {2}default {2}blocked {2}for (?:10m|9m 59s), 0 of 10 used\n$/,
  )
  const { allowed, retryAfterMs } = await api.consume('ann')
  expect(allowed).toBe(false)
  expect(Math.ceil((retryAfterMs ?? 0) / 60_000)).toBe(10)
  expect((await api.consume('bob')).allowed).toBe(true)

  expect((await sluice('unblock', 'ann', '--limiter', 'api')).stdout).toBe(
    'unblocked ann\n\napi  default  allowed  0 used, 10 of 10 remain\n',
  )
  expect((await api.consume('ann')).allowed).toBe(true)
})

test.each([
  ['block', '10m'],
  ['unblock'],
  ['reset'],
  ['penalize', '1'],
  ['exempt', '10m'],
  ['unexempt'],
])('%s notes that a key was never counted', async (name, ...values) => {
  const { api, sluice } = await applicationIn(redis)
  const change = async (key: string) => sluice(name, key, ...values, '--limiter', 'api')
  const unknown = await change('["user","ann"]')
  expect(unknown.status).toBe(0)
  expect(unknown.stderr).toMatch(/^note: nothing was counted for \|user\|ann\. /)
  await api.consume(['user', 'ann'])
  expect((await change('["user","ann"]')).stderr).toBe('')
})

test('reset deletes what the key has used, and needs --unblock for a blocked key', async () => {
  const { api, sluice } = await applicationIn(redis)
  await api.consume('ann', { cost: 10 })
  await api.block('ann', '10m')
  expect(await sluice('reset', 'ann', '--limiter', 'api')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: the key is blocked, so nothing was reset. Add --unblock to end the block too\n',
  })
  expect((await api.status('ann')).policies['default'].used).toBe(10)
  const { stdout } = await sluice('reset', 'ann', '--unblock', '--limiter', 'api')
  expect(stdout).toBe('reset ann\n\napi  default  allowed  0 used, 10 of 10 remain\n')
  expect((await api.consume('ann')).remaining).toBe(9)
})

test('penalize takes units, even if fewer remain', async () => {
  const { api, sluice } = await applicationIn(redis)
  await api.consume('ann', { cost: 8 })
  const { stdout } = await sluice('penalize', 'ann', '5', '--limiter', 'api')
  expect(stdout).toMatch(
    /^took 5 units from ann\n\napi {2}default {2}denied {3}13 used, 0 of 10 remain/,
  )
  expect((await api.status('ann')).policies['default'].used).toBe(13)
  expect((await sluice('penalize', 'bob', '1', '--limiter', 'api')).stdout).toMatch(
    /^took 1 unit from/,
  )
})

test('--policy restricts a change to some policies', async () => {
  const { login, sluice } = await applicationIn(redis)
  await sluice('block', 'ann', '10m', '--limiter', 'login', '--policy', 'hour')
  const { policies } = await login.status('ann')
  expect(policies['minute'].blockedMs).toBe(0)
  expect(Math.ceil(policies['hour'].blockedMs / 60_000)).toBe(10)
  await sluice('block', 'bob', '10m', '--limiter', 'login')
  const both = Object.values((await login.status('bob')).policies)
  expect(both.map(({ blockedMs }) => Math.ceil(blockedMs / 60_000))).toEqual([10, 10])
})

test.each([
  ['["user",42]', ['user', 42]],
  ['|user|42', ['user', 42]],
  ['[" <img onerror=alert(1)> ","\u202e"]', [' <img onerror=alert(1)> ', '\u202e']],
  ['x\u001b[31m{}%|🎉', 'x\u001b[31m{}%|🎉'],
  ['["|x"]', '|x'],
  ['x'.repeat(300), 'x'.repeat(300)],
])('a change concerns exactly the key %j', async (argument, key) => {
  const { api, sluice } = await applicationIn(redis)
  const { status, stdout } = await sluice('block', argument, '1h', '--limiter', 'api')
  expect(status).toBe(0)
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  expect((await api.consume(key)).allowed).toBe(false)
})

test('--json has the change and the counts after it', async () => {
  const { sluice } = await applicationIn(redis)
  const ran = await sluice(
    'penalize',
    'ann',
    '2',
    '--limiter',
    'api',
    '--json',
    '--reason',
    'abuse',
  )
  expect(jsonOf(ran)).toEqual({
    act: 'penalize',
    reason: 'abuse',
    limiter: 'api',
    key: 'ann',
    wasCounted: false,
    isCounted: true,
    policies: [
      {
        name: 'default',
        used: 2,
        limit: 10,
        remaining: 8,
        resetMs: expect.any(Number),
        blockedMs: 0,
        exemptMs: 0,
      },
    ],
  })
})

test.each([
  ['2001:db8::1', 'ip:2001:db8::/64'],
  ['ip:2001:db8::1', 'ip:2001:db8::/64'],
  ['ip:2001:DB8::/64', 'ip:2001:db8::/64'],
  ['ip:2001:db8::1/56', 'ip:2001:db8::/56'],
  ['ip:::ffff:203.0.113.9', 'ip:203.0.113.9'],
])(
  'a change of %s, under which rateLimit counts nothing, is done, with a note',
  async (key, counted) => {
    const { sluice } = await applicationIn(redis)
    const { status, stderr } = await sluice('block', key, '1m', '--limiter', 'api')
    const note = `note: rateLimit counts this address under the key ${counted}\n`
    expect({ status, stderr }).toEqual({ status: 0, stderr: note })
  },
)

test.each([
  'ip:203.0.113.9',
  'ip:2001:db8::/64',
  'ip:2001:db8::1/128',
  'ip:2001:db8::/129',
  'ip:203.0.113.0/24',
  'ip:ann',
])('a change of %s has no note', async (key) => {
  const { api, sluice } = await applicationIn(redis)
  await api.consume(key)
  expect(await sluice('block', key, '1m', '--limiter', 'api')).toMatchObject({
    status: 0,
    stderr: '',
  })
})

test.each([
  [['block', 'ann', '10m'], 'there are several limiters: choose one with --limiter: api, login'],
  [
    ['block', 'ann', '10', '--limiter', 'api'],
    "command-argument value '10' is invalid for argument 'length'. Write a duration of at most ten years, such as 30s, 10m or 1h.",
  ],
  [
    ['block', 'ann', '0s', '--limiter', 'api'],
    "command-argument value '0s' is invalid for argument 'length'. Write a duration of at most ten years, such as 30s, 10m or 1h.",
  ],
  [
    ['block', 'ann', '9999d', '--limiter', 'api'],
    "command-argument value '9999d' is invalid for argument 'length'. Write a duration of at most ten years, such as 30s, 10m or 1h.",
  ],
  [['block', 'ann'], "missing required argument 'length'"],
  [
    ['penalize', 'ann', '9007199254740992', '--limiter', 'api'],
    "command-argument value '9007199254740992' is invalid for argument 'units'. Write a whole number from 1 to 9007199254740991, such as 5.",
  ],
  [
    ['penalize', 'ann', '0', '--limiter', 'api'],
    "command-argument value '0' is invalid for argument 'units'. Write a whole number from 1 to 9007199254740991, such as 5.",
  ],
])('%j is refused', async (args, said) => {
  const { sluice } = await applicationIn(redis)
  expect(await sluice(...args)).toEqual({ status: 1, stdout: '', stderr: `error: ${said}\n` })
})

test('exempt allows everything of a key', async () => {
  const { api, sluice } = await applicationIn(redis)
  const ran = await sluice('exempt', 'ann', '1h', '--limiter', 'api')
  expect(ran.stdout).toMatch(
    /^exempted ann for 1h\n\napi {2}default {2}exempt {3}for (?:1h|59m 59s), 0 of 10 used\n$/,
  )
  for (let i = 0; i < 12; i++) expect((await api.consume('ann')).allowed).toBe(true)
  expect((await sluice('unexempt', 'ann', '--limiter', 'api')).stdout).toBe(
    'ended the exemption of ann\n\napi  default  allowed  0 used, 10 of 10 remain\n',
  )
})

test('grant gives a key units beside its quota', async () => {
  const { api, sluice } = await applicationIn(redis)
  const on = ['--limiter', 'api']
  expect((await sluice('grant', 'ann', '500', '1h', ...on)).stdout).toBe(
    'granted ann 500 units for 1h\n\napi  default  allowed  0 of 10 used, 510 remain with 500 granted\n',
  )
  for (let i = 0; i < 12; i++) expect((await api.consume('ann')).allowed).toBe(true)
  expect(await sluice('grant', 'ann', '0', '1h', ...on)).toMatchObject({ status: 1, stdout: '' })
  expect((await sluice('ungrant', 'ann', ...on)).stdout).toMatch(
    /^ended the grant of ann\n\napi {2}default {2}denied {3}10 used, 0 of 10 remain/,
  )
})
