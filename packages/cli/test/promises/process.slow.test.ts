import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { combinedLog, start } from '../simulate/logs.js'
import { folderWith, shop, shopFiles, sluice, type Ran } from '../sluice.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Runs the command as a process of its own. */
function sluiceProcess(
  args: readonly string[],
  cwd: string,
  input: string,
): Promise<Omit<Ran, 'status'> & { readonly status: number | null }> {
  // The environment of the tests must not color the output.
  const { NO_COLOR: _color, FORCE_COLOR: _forced, ...env } = process.env
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { cwd, env })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

const log = combinedLog(
  Array.from({ length: 2000 }, (_, i) => ({
    at: start + i * 500,
    ip: `192.0.2.${i % 7}`,
    url: `/${(i * 7919) % 1000}`,
  })),
)

const files = { ...shopFiles, 'wrong.yaml': 'version: 2\n', 'access.log': log }

const limit = ['--limit', '9/1m', '--json']

const cases: readonly {
  readonly code: number
  readonly name: string
  readonly args: readonly string[]
  readonly input?: string
}[] = [
  { code: 0, name: 'check of the standard input', args: ['check', '-'], input: shop },
  { code: 2, name: 'check --strict with warnings', args: ['check', 'rules.yaml', '--strict'] },
  { code: 1, name: 'an unknown option', args: ['check', 'rules.yaml', '--strit'] },
  {
    code: 0,
    name: 'explain',
    args: ['explain', 'rules.yaml', '--value', 'user=mallory', '--at', '2026-10-01'],
  },
  { code: 1, name: 'explain of a document with mistakes', args: ['explain', 'wrong.yaml'] },
  {
    code: 0,
    name: 'simulate of the standard input',
    args: ['simulate', '-', ...limit],
    input: log,
  },
  {
    code: 3,
    name: 'simulate --fail-keys',
    args: ['simulate', 'access.log', ...limit, '--fail-keys', '1'],
  },
  { code: 4, name: 'simulate of a truncated log', args: ['simulate', 'cut.gz', ...limit] },
]

test.each(cases)(
  'the process exits with $code, and prints what the command prints: $name',
  async ({ code, args, input = '' }) => {
    const cwd = await folderWith(files)
    await writeFile(join(cwd, 'cut.gz'), gzipSync(log).subarray(0, -100))
    const ran = await sluiceProcess(args, cwd, input)
    expect(ran.status).toBe(code)
    expect(ran).toEqual(await sluice(args, { cwd, input }))
  },
)

test('a reader that closes the pipe early is not an error', async () => {
  const cwd = await folderWith(files)
  const child = spawn(process.execPath, [main, 'simulate', '-', '--limit', '1/1m', '--json'], {
    cwd,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdout.destroy()
  child.stdin.end(log)
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
