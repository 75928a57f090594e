import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { useRedis } from '@sluice/test-kit/redis'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const programs = `${root}examples/moving/`

const redis = useRedis()

/** A library, its page, and the options in its types or its source. */
const peers: readonly (readonly [name: string, page: string, options: () => string[]])[] = [
  [
    'express-rate-limit',
    'express-rate-limit.md',
    () => membersOf('express-rate-limit/dist/index.d.ts', /^export type Options = /gm),
  ],
  [
    'rate-limiter-flexible',
    'rate-limiter-flexible.md',
    () => membersOf('rate-limiter-flexible/types.d.ts', /^(?:export )?interface I\w*Opt\w* /gm),
  ],
  [
    '@fastify/rate-limit',
    'fastify-rate-limit.md',
    () =>
      membersOf(
        '@fastify/rate-limit/types/index.d.ts',
        /^ {2}export interface (?:Create)?RateLimit\w*Options /gm,
      ),
  ],
  [
    'koa-ratelimit',
    'koa-ratelimit.md',
    () => [
      ...found('koa-ratelimit/index.js', /\bopts\.(\w+)/g),
      ...found('koa-ratelimit/index.js', /\{ (\w+) \} = opts/g),
      ...found('koa-ratelimit/limiter/memory.js', /constructor\(\{ (.*) \}\)/g)
        .flatMap((list) => list.split(', '))
        .map((option) => option.replace(/ =.*/, '')),
    ],
  ],
  [
    '@nestjs/throttler',
    'nestjs-throttler.md',
    () =>
      membersOf(
        '@nestjs/throttler/dist/throttler-module-options.interface.d.ts',
        /^export (?:interface ThrottlerOptions|type ThrottlerModuleOptions)\b/gm,
      ),
  ],
]

describe.each(peers)('%s', (name, page, options) => {
  const folder = name.replace(/^.*\//, '')
  const text = readFileSync(`${root}packages/docs/moving/${page}`, 'utf8')

  test.each(readdirSync(programs + folder))('the page shows %s', (file) => {
    expect(text).toContain(`<!-- code: examples/moving/${folder}/${file}#app -->`)
  })

  test('the page names every option of the version that is installed, and no other', () => {
    const items = [...text.matchAll(/^- (`\w+`(?:, `\w+`)*) → /gm)]
    const named = items.flatMap(([, options]) => options.match(/\w+/g) ?? [])
    expect(named.toSorted()).toEqual([...new Set(options())].toSorted())
  })

  test('the page states that version', () => {
    const { version } = JSON.parse(source(`${name}/package.json`)) as { version: string }
    expect(text).toContain(`${name} ${version}`)
  })

  test('both programs give the same responses, except for the differences that the page lists', async () => {
    const isComparison = (file: string) => new RegExp(`^compare-${folder}\\.[jt]s$`).test(file)
    const program = readdirSync(programs).find(isComparison) ?? 'missing'
    // Node 20 cannot run TypeScript, so vitest imports this program.
    if (program.endsWith('.ts')) return import(programs + program)
    const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const quiet = '--disable-warning=ExperimentalWarning'
    const { stderr } = await run(process.execPath, [quiet, program], {
      cwd: programs,
      env,
      timeout: 25_000,
    })
    return expect(stderr).toBe('')
  })
})

function source(file: string): string {
  return readFileSync(`${programs}node_modules/${file}`, 'utf8')
}

function found(file: string, pattern: RegExp): string[] {
  return [...source(file).matchAll(pattern)].map(([, what]) => what)
}

/** The members of the interfaces whose declarations match, without those of nested objects. */
function membersOf(file: string, start: RegExp): string[] {
  const text = source(file)
  return [...text.matchAll(start)].flatMap(({ 0: line, index }) => {
    const [indent] = /^ */.exec(line) ?? ['']
    const body = text.slice(index, text.indexOf(`\n${indent}}`, index))
    const members = [...body.matchAll(/^([ \t]+)(\w+)\??[:(]/gm)]
    const least = Math.min(...members.map(([, space]) => space.length))
    return members.filter(([, space]) => space.length === least).map(([, , name]) => name)
  })
}
