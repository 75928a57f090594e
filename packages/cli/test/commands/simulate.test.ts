import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sluice, type Ran } from '../sluice.js'
import { combinedLine, combinedLog, start, type Line } from '../simulate/logs.js'

let folder: string
let log: string

/** Two clients: 30 requests within half a minute, and 3. */
const lines: readonly Line[] = Array.from({ length: 33 }, (_, i) => ({
  at: start + i * 1000,
  ip: i % 11 === 10 ? '198.51.100.7' : '192.0.2.1',
  url: '/search?q=secret',
}))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  log = join(folder, 'access.log')
  await writeFile(log, combinedLog(lines))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** Runs `sluice simulate`. */
async function simulate(args: readonly string[], input = ''): Promise<Ran> {
  return sluice(['simulate', ...args], { input })
}

test('prints the denials of each limit, and the keys with the most denials', async () => {
  const { status, stdout } = await simulate([
    log,
    '--limit',
    '10/1m',
    '--policy',
    '{ kind: gcra, limit: 60, window: 1m, burst: 5 }',
  ])
  expect(status).toBe(0)
  expect(stdout).toMatch(/33 lines, 2026-11-20T00:00:00\.000Z … 2026-11-20T00:00:32\.000Z, 2 keys/)
  expect(stdout).toMatch(/slidingWindow 10\/1m +20 +60\.61 % +1 +60\.61 % +20\n/)
  expect(stdout).toMatch(/gcra 60\/1m burst 5 +0 +0\.00 % +0 +0\.00 % +0\n/)
  expect(stdout).toMatch(/192\.0\.2\.1 +20 of 30 +\/search \(100 %\) +"curl\/8\.0"/)
})

test('reads the standard input', async () => {
  const { status, stdout } = await simulate(
    ['-', '--limit', '10/1m', '--algorithm', 'fixedWindow'],
    combinedLog(lines),
  )
  expect(status).toBe(0)
  expect(stdout).toMatch(/fixedWindow 10\/1m +20 /)
})

test('writes the report as JSON', async () => {
  const { stdout } = await simulate([log, '--limit', '10/1m', '--json'])
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ version: 1, log: { lines: 33, files: [log], format: 'combined' } })
  expect(report.variants[0]).toMatchObject({
    name: 'slidingWindow 10/1m',
    key: 'ip',
    asked: 33,
    denied: 20,
  })
})

test('--top shortens each list of the report', async () => {
  const [old, strict] = ['old.yaml', 'new.yaml'].map((name) => join(folder, name))
  const rules = (limit: number): string =>
    `{ version: 1, name: a, rules: [{ id: all, key: ip, limit: ${limit}, window: 1m }] }`
  await writeFile(old, rules(100))
  await writeFile(strict, rules(2))
  const args = ['--rules', strict, '--baseline', old, '--top', '1', '--json']
  const { variants, compared } = JSON.parse((await simulate([log, ...args])).stdout)
  expect(compared).toMatchObject({ keysNewlyDenied: 2, keysNewlyAllowed: 0 })
  expect([compared.newlyDenied.length, variants[1].top.length]).toEqual([1, 1])
})

test('control characters of a log do not reach the terminal', async () => {
  const hostile = lines.map((line) => combinedLine(line, String.raw`\x1b[31mred`)).join('\n')
  const { stdout } = await simulate(['-', '--limit', '2/1m'], hostile)
  expect(stdout).toContain(String.raw`\u{1b}[31mred`)
  expect(stdout).not.toContain('\u001b')
})

test('--anonymize leaves no address, path or user agent in any output', async () => {
  const [html, json] = ['a.html', 'a.json'].map((name) => join(folder, name))
  const { stdout } = await simulate(
    ['-', '--limit', '2/1m', '--anonymize', '--html', html, '--json', json],
    combinedLog(lines),
  )
  const texts = await Promise.all([html, json].map((file) => readFile(file, 'utf8')))
  for (const text of [stdout, ...texts]) {
    expect(text).toMatch(/#[0-9a-f]{16}/)
    expect(text).not.toMatch(/192\.0\.2\.1|198\.51\.100\.7|curl\/8\.0|\/search/)
  }
})

describe('messages of wrong input', () => {
  const json = (object: unknown): string => `${JSON.stringify(object)}\n`.repeat(2)

  test.each<readonly [string, readonly string[], string]>([
    [
      'a unit without its number',
      ['--limit', '60/m'],
      'error: --limit 60/m: the window has no number. Did you mean 60/1m?\n',
    ],
    [
      'a long unit',
      ['--limit', '60/hour'],
      'error: --limit 60/hour: the window has no number. Did you mean 60/1hour?\n',
    ],
    [
      'a misspelled kind',
      ['--policy', '{ kind: gcar, limit: 60, window: 1m }'],
      'error: --policy { kind: gcar, limit: 60, window: 1m }: the kind "gcar" is not a policy. Did you mean "gcra"? Make one with',
    ],
    [
      'a misspelled kind in a record',
      ['--policy', '{ a: { kind: gcar } }'],
      'error: --policy { a: { kind: gcar } }: the kind "gcar" is not a policy. Did you mean "gcra"?',
    ],
    [
      'no space after a colon',
      ['--policy', '{kind:gcra,limit:60,window:1m}'],
      'error: --policy {kind:gcra,limit:60,window:1m}: write a space after each colon, as in { kind: gcra, … }\n',
    ],
  ])('%s', async (_case, args, message) => {
    const { status, stderr } = await simulate([log, ...args])
    expect({ status, start: stderr.slice(0, message.length) }).toEqual({
      status: 1,
      start: message,
    })
  })

  test('a JSON log that lacks fields: those that it has, and those that were looked for', async () => {
    const input = json({
      level: 30,
      time: 1_700_000_000_000,
      req: { method: 'GET', url: '/' },
      code: 200,
    })
    const { status, stderr } = await simulate(['-', '--limit', '60/1m'], input)
    expect(status).toBe(1)
    expect(stderr).toBe(
      'error: standard input: the first line is JSON and lacks a field that each request needs. It has the fields:\n' +
        '  level, time, req.method, req.url, code\n' +
        'It lacks:\n' +
        '  status, such as status, statusCode, status_code\n' +
        'If the line has the value under another name, state the name: --field status=NAME.\n',
    )
    const named = await simulate(['-', '--limit', '60/1m', '--field', 'status=code'], input)
    expect(named.stderr).not.toContain('lacks')
  })
})
