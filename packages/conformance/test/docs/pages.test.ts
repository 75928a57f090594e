import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  startSentinels,
  useCluster,
  useRedis,
  useRest,
  type RedisSentinels,
} from '@sluice/test-kit/redis'
import { usePostgres } from '@sluice/test-kit/postgres'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const programs = `${root}examples/docs/`
const named = (pattern: RegExp) => readdirSync(programs).filter((name) => pattern.test(name))

const redis = useRedis()
const postgres = usePostgres()
const rest = useRest(redis)
const cluster = useCluster()
let sentinels: RedisSentinels
beforeAll(async () => {
  sentinels = await startSentinels(5000)
})
afterAll(() => sentinels.stop())

test('the pages agree with their sources, all code in them comes from programs, and no link is broken', async () => {
  const checked = run(process.execPath, [`${root}.ci/docs.mjs`, '--check'])
  const { stderr } = await checked.catch((error: { readonly stderr: string }) => error)
  expect(stderr).toBe('')
})

test.each(['inside/contracts.md', 'inside/internals.md'])(
  'the files that %s names exist',
  async (page) => {
    const text = readFileSync(`${root}packages/docs/${page}`, 'utf8')
    const list = ['ls-files', '--cached', '--others', '--exclude-standard']
    const files = (await run('git', list, { cwd: root, maxBuffer: 2 ** 24 })).stdout.split('\n')
    // A name can leave out the first folders.
    const names = Array.from(text.matchAll(/`([\w./-]+\.(?:ts|m?js|json))`/g), ([, name]) => name)
    const isKnown = (name: string) => files.some((file) => `/${file}`.endsWith(`/${name}`))
    expect(names.filter((name) => !isKnown(name))).toEqual([])
  },
)

test.each(named(/\.js$/))('examples/docs/%s runs without an error', async (name) => {
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    SENTINEL_URL: `redis://127.0.0.1:${sentinels.sentinels[0].port}`,
    CLUSTER_URL: `redis://127.0.0.1:${cluster.nodes[0].port}`,
    UPSTASH_REDIS_REST_URL: rest().url,
    UPSTASH_REDIS_REST_TOKEN: rest().token,
  }
  // In one program the source of rules fails, as it is meant to.
  const args = ['--disable-warning=SLUICE_RULES_STALE', name]
  const { stderr } = await run(process.execPath, args, { cwd: programs, env, timeout: 25_000 })
  expect(stderr).toBe('')
})

// Node 20 cannot run TypeScript, so vitest imports these programs.
test.each(named(/\.ts$/))('examples/docs/%s runs without an error', async (name) => {
  vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  await import(`${programs}${name}`)
})
