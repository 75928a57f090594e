import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sluice, type Ran } from '../sluice.js'
import { combinedLog, start, type Line } from '../simulate/logs.js'

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

test.each<readonly [number, string, readonly string[]]>([
  [0, 'fewer requests are denied than allowed', ['--limit', '10/1m', '--fail-over', '61%']],
  [3, 'more requests are denied than allowed', ['--limit', '10/1m', '--fail-over', '60%']],
  [0, 'as many keys are denied as allowed', ['--limit', '10/1m', '--fail-keys', '1']],
  [0, 'nothing is denied, of a share of 0 %', ['--limit', '100/1m', '--fail-over', '0%']],
  [0, 'no key is denied, of 0 keys', ['--limit', '100/1m', '--fail-keys', '0']],
  [0, 'all requests may be denied', ['--limit', '10/1m', '--fail-over', '100%']],
  [3, 'more keys are denied than allowed', ['--limit', '2/1m', '--fail-keys', '1']],
  [1, 'nothing is to be replayed', []],
  [1, 'a share is not a share', ['--limit', '10/1m', '--fail-over', '101%']],
  [1, 'a window is not a window', ['--suggest', 'keys<=1%', '--windows', '1m,soon']],
  [1, 'a number is not a number', ['--limit', '10/1m', '--top', 'all']],
  [1, 'a number is not whole', ['--limit', '10/1m', '--top', '1.5']],
  [1, 'a sample is empty', ['--limit', '10/1m', '--sample', '0%']],
  [1, 'seconds are not seconds', ['--limit', '10/1m', '--disorder', '1m']],
  [1, 'a field is unknown', ['--limit', '10/1m', '--field', 'when=ts']],
  [1, 'a limit is not a limit', ['--limit', '10 per minute']],
  [1, 'a policy is not a policy', ['--policy', '{ kind: gcra, limt: 1 }']],
  [1, 'a key is not a key', ['--limit', '10/1m', '--key', 'nonsense']],
  [1, 'the log lacks the key', ['--limit', '10/1m', '--key', 'host']],
  [1, 'an option is unknown', ['--limit', '10/1m', '--nonsense']],
  [1, 'the format does not fit', ['--limit', '10/1m', '--format', 'json']],
])('%i if %s', async (status, _, args) => {
  const ended = await simulate([log, ...args])
  expect(ended.status).toBe(status)
  expect(ended.stderr === '').toBe(status !== 1)
  expect(ended.stdout === '').toBe(status === 1)
})

test('1 if there is no such file', async () => {
  const { status, stderr } = await simulate([join(folder, 'none.log'), '--limit', '10/1m'])
  expect(status).toBe(1)
  expect(stderr).toContain('none.log')
})

test('3 if the rules cannot judge some of the requests, because no limit counts these', async () => {
  const rules = join(folder, 'unjudged.yaml')
  await writeFile(
    rules,
    'version: 1\nname: api\nvalues: { plan: [free, pro] }\nrules:\n' +
      '  - { id: plan, when: { plan: pro }, key: ip, limit: 100, window: 1m }\n',
  )
  const args = [log, '--rules', rules, '--missing', 'absent']
  expect((await simulate(args)).status).toBe(0)
  const { status, stdout } = await simulate([...args, '--fail-over', '99%'])
  expect({ status, stdout }).toEqual({
    status: 3,
    stdout: expect.stringContaining('33 requests could not be judged'),
  })
})

test('4 if a compressed log ends before its end', async () => {
  const file = join(folder, 'truncated.gz')
  const compressed = gzipSync(
    combinedLog(
      Array.from({ length: 5000 }, (_, i) => ({
        at: start + i * 100,
        ip: `192.0.2.${i % 250}`,
        url: `/${(i * 7919) % 5000}`,
      })),
    ),
  )
  await writeFile(file, compressed.subarray(0, -200))
  const { status, stdout } = await simulate([file, '--limit', '10/1m'])
  expect(status).toBe(4)
  // More denials than allowed are the more important message.
  const args = [file, '--limit', '1/1m', '--fail-keys', '0']
  expect((await simulate(args)).status).toBe(3)
  expect(stdout).toContain('The compressed log is truncated')
})

describe('compared with a baseline', () => {
  /** Rules with one limit by address. 192.0.2.1 sends 30 requests within half a minute, and 198.51.100.7 sends 3. */
  async function rules(limit: number): Promise<string> {
    const file = join(folder, `${limit}.yaml`)
    const rule = `{ id: all, key: ip, limit: ${limit}, window: 1m }`
    await writeFile(file, `{ version: 1, name: a, rules: [${rule}] }`)
    return file
  }

  test.each<readonly [number, string, number, number, readonly string[]]>([
    [0, 'nothing is newly denied, of a share of 0 %', 10, 10, ['--fail-over', '0%']],
    [0, 'requests are only newly allowed', 10, 30, ['--fail-over', '0%', '--fail-keys', '0']],
    [3, 'one request is newly denied, of a share of 0 %', 10, 9, ['--fail-over', '0%']],
    [
      0,
      'the share of newly denied requests is as large as allowed',
      30,
      19,
      ['--fail-over', '34%'],
    ],
    [
      3,
      'a larger share is newly denied, but not of the denied ones',
      30,
      18,
      ['--fail-over', '36%'],
    ],
    [0, 'no key is newly denied, of 0 keys', 10, 10, ['--fail-keys', '0']],
    [0, 'as many keys are newly denied as allowed', 30, 5, ['--fail-keys', '1']],
    [3, 'more keys are newly denied than allowed', 30, 2, ['--fail-keys', '1']],
  ])('%i if %s', async (status, _, before, after, args) => {
    const [baseline, next] = [await rules(before), await rules(after)]
    const ran = await simulate([log, '--rules', next, '--baseline', baseline, ...args])
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status, stderr: '' })
  })
})
