import { redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { compileRules, createRuleLimiter, parseRules, type RuleLimiter } from '@sluice/rules'
import { expect, test } from 'vitest'
import { folderWith, sluice, type Ran } from '../sluice.js'

const redis = useRedis()
let prefixes = 0

const document = `version: 1
name: shop
values: { user: string?, plan: [free, pro], night: boolean }
rules:
  - { id: address, key: ip, limit: 9, window: 1h }
  - id: api
    key: { first: [user, ip] }
    limit: { by: plan, free: 2, pro: 5 }
    window: 1h
  - id: files
    when: { path: /files }
    key: [user, path]
    policy:
      by: night
      "true": { kind: gcra, limit: 4, window: 1h }
      "false": { kind: fixedWindow, limit: 4, window: 1h }
`

const ann = { user: 'ann', plan: 'free', ip: '203.0.113.9', path: '/', night: true }

/** An application with rules that counts in Redis, and the commands beside it. */
async function application(text: string = document): Promise<{
  readonly limiter: RuleLimiter
  readonly sluice: (...args: readonly string[]) => Promise<Ran>
}> {
  const prefix = `rules${prefixes++}`
  const current = await compileRules(parseRules({ text, format: 'yaml', files: new Map() }))
  const store = redisStore(redis.connection, { prefix, timeout: 5000 })
  const limiter = createRuleLimiter({ rules: { name: current.name, current }, store })
  const cwd = await folderWith({ 'rules.yaml': text })
  const place = ['--redis', `redis://127.0.0.1:${redis.port}`, '--rules', 'rules.yaml']
  return {
    limiter,
    sluice: async (...args) => sluice([...args, ...place, '--prefix', prefix], { cwd }),
  }
}

test('status shows the counts of the rules that can have such a key, with each of their limits', async () => {
  const { limiter, sluice } = await application()
  await limiter.consume(ann)
  const { stdout } = await sluice('status', '["user","ann"]')
  expect(stdout.replaceAll(/\d+m \d+s|1h|60m/g, 'TIME')).toBe(`|user|ann

shop  api (plan free)  allowed  1 used, 1 of 2 remain, full in TIME
shop  api (plan pro)   allowed  1 used, 4 of 5 remain, full in TIME
`)
  const ofAddress = await sluice('status', 'ip:203.0.113.9', '--variant', 'plan pro')
  expect(ofAddress.stdout).toMatch(
    /\nshop {2}address {9}allowed {2}1 used, 8 of 9 remain.*\nshop {2}api \(plan pro\) {2}allowed {2}0 used.*\n$/,
  )
})

test('a blocked key is denied by each rule that counts under it', async () => {
  const { limiter, sluice } = await application()
  const { stdout } = await sluice('block', '["user","ann"]', '10m')
  expect(stdout.match(/blocked {2}for/g)?.length).toBe(2)
  const { allowed, rule } = await limiter.peek({ ...ann, plan: 'pro' })
  expect({ allowed, rule }).toEqual({ allowed: false, rule: 'api' })
  expect((await limiter.peek({ ...ann, user: 'bob' })).allowed).toBe(true)
  await sluice('unblock', '["user","ann"]')
  expect((await limiter.peek(ann)).allowed).toBe(true)
})

test.each([true, false])(
  'a block concerns the counts of all algorithms among which a rule chooses: night %s',
  async (night) => {
    const { limiter, sluice } = await application()
    await sluice('block', '["user","ann","path","/files"]', '10m')
    const { allowed, rule } = await limiter.peek({ ...ann, path: '/files', night })
    expect({ allowed, rule }).toEqual({ allowed: false, rule: 'files' })
  },
)

test('a penalty needs the limit by which it counts', async () => {
  const { limiter, sluice } = await application()
  const refused = await sluice('penalize', '["user","ann"]', '2')
  expect(refused).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'error: the units of a penalty depend on the limit. Choose one with --variant: plan free, plan pro\n',
  })
  expect((await limiter.peek(ann)).allowed).toBe(true)
  await sluice('penalize', '["user","ann"]', '2', '--variant', 'plan free')
  expect((await limiter.peek(ann)).allowed).toBe(false)
})

test('a key under which no rule counts is not changed', async () => {
  const { sluice } = await application()
  const said = `no rule of "shop" counts under the key 203.0.113.9. A rule by address has keys such as ip:203.0.113.9, a rule by a value keys such as '["user","42"]'`
  expect(await sluice('block', '203.0.113.9', '10m')).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: ${said}\n`,
  })
  const { stdout } = await sluice('status', '203.0.113.9')
  expect(stdout).toContain(`\n\n${said}\n`)
})

test.each([
  [
    ['--variant', 'pro'],
    '--variant: no rule has a limit for "pro". Known: plan free, plan pro, night true, night false',
  ],
  [
    ['--policy', 'apis'],
    '--policy: the limiter "shop" has no policy "apis". Known: address, api, files',
  ],
])('%j is refused', async (args, said) => {
  const { sluice } = await application()
  const { status, stderr } = await sluice('status', 'ip:203.0.113.9', ...args)
  expect({ status, stderr }).toEqual({ status: 1, stderr: `error: ${said}\n` })
})

test('a key is blocked although one of its plans has no limit', async () => {
  const { limiter, sluice } = await application(`version: 1
name: shop
values: { user: string, plan: [free, pro] }
rules:
  - id: api
    key: user
    policy: { by: plan, free: { kind: fixedWindow, limit: 2, window: 1h }, pro: { kind: unlimited } }
`)
  const { status, stdout } = await sluice('block', '["user","ann"]', '10m')
  expect(status).toBe(0)
  expect(stdout).toMatch(/\nshop {2}api \(plan pro\) {3}allowed {2}no limit\n$/)
  expect((await limiter.peek({ user: 'ann', plan: 'free' })).allowed).toBe(false)
})

test('a document with mistakes is an error', async () => {
  const cwd = await folderWith({ 'wrong.yaml': 'version: 2\n' })
  const place = ['--redis', `redis://127.0.0.1:${redis.port}`, '--rules', 'wrong.yaml']
  const { status, stderr } = await sluice(['status', 'ann', ...place], { cwd })
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^error: wrong\.yaml cannot be used: rules: 3 mistakes in the document\.\n {2}1:1 version: /,
  )
})
