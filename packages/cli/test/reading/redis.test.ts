import { redisStore } from '@sluice/core'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { compileRules, createRuleLimiter, parseRules, type RuleLimiter } from '@sluice/rules'
import { expect, test } from 'vitest'
import { folderWith, sluice } from '../sluice.js'

const document = `version: 1
name: counts
values: { user: string }
rules:
  - { id: day, key: user, policy: { kind: slidingLog, limit: 3, window: 1d } }
  - { id: points, key: user, policy: { kind: fixedWindow, limit: 2, window: 1h }, over: { tag: no-points } }
  - { id: trial, key: user, policy: { kind: slidingLog, limit: 1, window: 1h }, shadow: true }
`

const twoKeys = `version: 1
name: two-keys
values: { user: string, team: string }
rules:
  - { id: by-user, key: user, policy: { kind: fixedWindow, limit: 9, window: 1d } }
  - { id: by-team, key: team, policy: { kind: fixedWindow, limit: 9, window: 1d } }
`

const redis = useRedis()
const cluster = useCluster()
let prefixes = 0

interface Served {
  readonly limiter: RuleLimiter
  readonly prefix: string
  explain(...args: readonly string[]): ReturnType<typeof sluice>
}

/** An application that counts in Redis, and the command beside it. */
async function served(text: string = document): Promise<Served> {
  const prefix = `test${prefixes++}`
  const current = await compileRules(parseRules({ text, format: 'yaml', files: new Map() }))
  const store = redisStore(redis.connection, { prefix, timeout: 5000 })
  const limiter = createRuleLimiter({ rules: { name: current.name, current }, store })
  return {
    limiter,
    prefix,
    explain: async (...args) => explainAda(text, urlOf(redis), '--prefix', prefix, ...args),
  }
}

/** Explains a request of ada, with the counts of a Redis server. */
async function explainAda(
  text: string,
  url: string,
  ...args: readonly string[]
): ReturnType<typeof sluice> {
  const cwd = await folderWith({ 'rules.yaml': text })
  return sluice(['explain', 'rules.yaml', '--value', 'user=ada', '--redis', url, ...args], { cwd })
}

function urlOf({ port }: { readonly port: number }): string {
  return `redis://127.0.0.1:${port}`
}

test('explain shows what the application has counted, and counts nothing', async () => {
  const { limiter, explain, prefix } = await served()
  await limiter.consume({ user: 'ada' })
  await limiter.consume({ user: 'ada' })
  const before = await redis.connection.keys(`${prefix}*`)
  const states = await Promise.all(before.map(async (key) => redis.connection.dump(key)))

  const { status, stdout, stderr } = await explain('--format', 'json')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { standing } = JSON.parse(stdout)
  const decision = await limiter.peek({ user: 'ada' })
  expect(standing).toMatchObject({ allowed: decision.allowed, tags: decision.tags })
  const { day, points, trial } = standing.counts
  expect([day.used, day.remaining]).toEqual([2, decision.policies['day'].remaining])
  expect([points.used, points.remaining, points.allowed]).toEqual([2, 0, false])
  expect([trial.used, trial.allowed]).toEqual([1, false])
  expect(standing.tags).toEqual(['no-points'])

  expect(await redis.connection.keys(`${prefix}*`)).toEqual(before)
  expect(await Promise.all(before.map(async (key) => redis.connection.dump(key)))).toEqual(states)
})

test('with --cluster, each count is read from the node that has it', async () => {
  const rules = await compileRules(parseRules({ text: twoKeys, format: 'yaml', files: new Map() }))
  const store = redisStore(cluster.client(), { timeout: 5000 })
  const limiter = createRuleLimiter({ rules: { name: rules.name, current: rules }, store })
  const team = (i: number): readonly string[] => ['--value', `team=team ${i}`]
  // Keys of different teams are in different slots.
  for (let i = 0; i < 6; i++) await limiter.consume({ user: 'ada', team: `team ${i}` })
  for (let i = 0; i < 6; i++) {
    const url = urlOf(cluster.nodes[i % cluster.nodes.length])
    const args = ['--cluster', '--format', 'json', ...team(i)]
    const { status, stdout, stderr } = await explainAda(twoKeys, url, ...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { counts } = JSON.parse(stdout).standing
    expect([counts['by-user'].used, counts['by-team'].used]).toEqual([6, 1])
  }
})

test('explain names the rule that denies, and the wait', async () => {
  const { limiter, explain } = await served()
  for (let i = 0; i < 3; i++) await limiter.consume({ user: 'ada' })
  const { stdout } = await explain()
  expect(stdout).toMatch(/\n {16}now {4}denies: 3 used, 0 of 3 remain, again in 23h 59m\n/)
  expect(stdout).toMatch(
    /\nnow: denied by day \(\{"type":"deny","status":429\}\), again in 23h 59m\n$/,
  )
})

test.each([
  ['2h', /\nnow: delayed by queue, allowed in 59m \d+s\n$/],
  ['1s', /\nnow: denied by queue \(\{"type":"delay","maxMs":1000\}\), again in 59m \d+s\n$/],
])('explain says what happens to a request that may wait for %s', async (delay, said) => {
  const { limiter, explain } = await served(`version: 1
name: counts
values: { user: string }
rules:
  - { id: queue, key: user, policy: { kind: gcra, limit: 1, window: 1h, burst: 1 }, over: { delay: ${delay} } }
  - { id: points, key: user, limit: 1, window: 1d, over: { tag: no-points } }
`)
  await limiter.consume({ user: 'ada' })
  expect((await explain()).stdout).toMatch(said)
})

test('a request does not wait if another rule denies it', async () => {
  const { limiter, explain } = await served(`version: 1
name: counts
values: { user: string }
rules:
  - { id: queue, key: user, policy: { kind: gcra, limit: 1, window: 1h, burst: 1 }, over: { delay: 2h } }
  - { id: day, key: user, policy: { kind: slidingLog, limit: 1, window: 1d } }
`)
  await limiter.consume({ user: 'ada' })
  expect((await explain()).stdout).toMatch(/\nnow: denied by queue /)
})

test('a user without requests has the full quota', async () => {
  const { explain } = await served()
  const { stdout } = await explain()
  expect(stdout).toContain('now    allows: 0 used, 3 of 3 remain\n')
  expect(stdout).toMatch(/\nnow: allowed\n$/)
})

test('without --prefix, the default prefix is read', async () => {
  const current = await compileRules(
    parseRules({ text: document, format: 'yaml', files: new Map() }),
  )
  const store = redisStore(redis.connection, { timeout: 5000 })
  const limiter = createRuleLimiter({ rules: { name: current.name, current }, store })
  await limiter.consume({ user: 'ada' })
  const { stdout } = await explainAda(document, urlOf(redis))
  expect(stdout).toContain('now    allows: 1 used, 2 of 3 remain')
})

test('counts can be read for a later time', async () => {
  const { limiter, explain } = await served()
  for (let i = 0; i < 3; i++) await limiter.consume({ user: 'ada' })
  const tomorrow = new Date(Date.now() + 25 * 3_600_000).toISOString()
  expect((await explain('--at', tomorrow)).stdout).toMatch(/\nnow: allowed\n$/)
})

test('a Redis that cannot be reached is an error, and its password is not shown', async () => {
  expect(await explainAda(document, 'redis://ada:secret@127.0.0.1:1')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: no connection to redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  })
})

test('a query of the URL, which may contain a password, is not shown', async () => {
  const { stderr } = await explainAda(document, 'redis://127.0.0.1:1?password=secret')
  expect(stderr).toBe(
    'error: no connection to redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  )
})

test('Redis is not needed for a request that no limit is asked about', async () => {
  const banned = `${document}  - { id: banned, when: { user: ada }, then: deny }\n`.replace(
    /rules:\n([^]*?)( {2}- \{ id: banned.*\n)/,
    'rules:\n$2$1',
  )
  const { status, stdout } = await explainAda(banned, 'redis://127.0.0.1:1')
  expect(status).toBe(0)
  expect(stdout).toContain('\nRefused by banned. No limit is asked.\n')
})

test('a Redis that forbids the script is an error', async () => {
  await redis.connection.call(
    'ACL',
    'SETUSER',
    'guest',
    'on',
    '>pass',
    '~*',
    '+@all',
    '-@scripting',
  )
  const url = `redis://guest:pass@127.0.0.1:${redis.port}`
  const { status, stdout, stderr } = await explainAda(document, url)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(
    new RegExp(`^error: the counts cannot be read from redis://127\\.0\\.0\\.1:${redis.port}`),
  )
})
