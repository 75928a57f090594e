import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const timeout = 300_000

const withUnit = /"60s"/
const form = /`\$\{number\}s`/
const missing = /Type 'undefined' is not assignable to type 'string/

/** Statements with one mistake each, and what the error says. */
const mistakes = [
  [`core.gcra({ limit: 5, window: '60' })`, withUnit],
  [`core.slidingWindow({ limit: 5, window: '60' })`, withUnit],
  [`core.tokenBucket({ capacity: 5, refill: 1, every: '60' })`, withUnit],
  [`core.concurrency({ limit: 5, lease: '60' })`, withUnit],
  [`core.createLimiter({ name: 'api', limit: 5, window: '60' })`, withUnit],
  [`express.rateLimit({ limit: 5, window: '60' })`, withUnit],
  [`koa.rateLimit({ limit: 5, window: '60', key: koa.byIp(), count: 'failures' })`, withUnit],
  [`fastify().sluice({ limit: 5, window: '60' })`, withUnit],
  [`nestjs.RateLimit({ limit: 5, window: '60' })`, withUnit],
  [`core.gcra({ limit: 5, window: '1 month' })`, form],
  [`express.rateLimit({ limit: 5, window: 'forever' })`, form],
  [`express.rateLimit({ limit: 5, window: '' })`, form],
  [`express.rateLimit({ limit: 5, window: config.window })`, missing],
] as const

/** Statements with texts that the compiler does not know: they are checked when the application starts. */
const valid = [
  `express.rateLimit({ limit: 5, window: config.window ?? '1m' })`,
  `core.gcra({ limit: 5, window: String(config.window) })`,
]

const source = `
import * as core from '@sluice/core'
import * as express from '@sluice/express'
import '@sluice/fastify'
import * as koa from '@sluice/koa'
import * as nestjs from '@sluice/nestjs'
import { fastify } from 'fastify'

declare const config: { readonly window?: string }
`
const firstLine = source.split('\n').length

// TypeScript 5.9 takes seconds for each program.
const compilers = [
  ['TypeScript 5.9', 'typescript-5', [false]],
  ['TypeScript 7', 'typescript', [false, true]],
] as const

describe.each(compilers)('%s', (_name, compiler, settings) => {
  test.each(settings)(
    'reports a wrong duration in a few lines that show a right one, with exactOptionalPropertyTypes %s',
    { timeout },
    async (isExact) => {
      const statements = [...mistakes.map(([statement]) => statement), ...valid]
      const errors = await errorsIn(compiler, source + statements.join('\n'), isExact)
      expect([...errors.keys()]).toEqual(mistakes.map((_, i) => firstLine + i))
      for (const [i, [statement, said]] of mistakes.entries()) {
        const lines = errors.get(firstLine + i) ?? []
        expect([statement, lines.join('\n')]).toEqual([statement, expect.stringMatching(said)])
        expect(lines.length).toBeLessThanOrEqual(4)
      }
    },
  )
})

/** The lines of the errors in a program, by the line of the program. */
async function errorsIn(
  compiler: string,
  text: string,
  isExact: boolean,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-types-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink(installed, join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'program.ts'), text)
  const output = await compile(folder, compiler, [...strict, String(isExact), 'program.ts'])
  const errors = new Map<number, string[]>()
  let line = 0
  for (const part of output.trimEnd().split('\n')) {
    line = Number(/^program\.ts\((\d+),/.exec(part)?.[1] ?? line)
    errors.set(line, [...(errors.get(line) ?? []), part])
  }
  return errors
}

const strict = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--exactOptionalPropertyTypes',
]

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url))

async function compile(cwd: string, compiler: string, args: readonly string[]): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve(`${compiler}/package.json`)
  const tsc = join(dirname(manifest), 'bin/tsc')
  return new Promise((resolve) => {
    // It fails, because the program has errors.
    execFile(process.execPath, [tsc, ...args], { cwd }, (_error, stdout) => resolve(stdout))
  })
}
