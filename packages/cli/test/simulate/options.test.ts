import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/program.js'
import { sluice } from '../sluice.js'
import { combinedLog, start } from './logs.js'

/** The report of `sluice simulate`, which reads a log with lines at these seconds. */
async function replayed(
  seconds: readonly number[],
  ...args: readonly string[]
): Promise<{ late: number; denied: readonly number[]; sampled: number; names: readonly string[] }> {
  const input = combinedLog(
    seconds.map((second) => ({ at: start + second * 1000, ip: '192.0.2.1' })),
  )
  const { stdout, stderr } = await sluice(['simulate', '-', '--json', ...args], { input })
  expect(stderr).toBe('')
  const { log, variants } = JSON.parse(stdout)
  return {
    late: log.late,
    sampled: log.sampled,
    denied: variants.map(({ denied }: { denied: number }) => denied),
    names: variants.map(({ name }: { name: string }) => name),
  }
}

describe('options', () => {
  test('--disorder is in seconds, and a minute without it', async () => {
    const lateOf = async (...args: readonly string[]): Promise<number> =>
      (await replayed([0, 39, 48, 100, 20, 45], '--limit', '9/1m', ...args)).late
    expect(await lateOf()).toBe(1)
    expect(await lateOf('--disorder', '70')).toBe(0)
    expect(await lateOf('--disorder', '50s')).toBe(2)
    expect(await lateOf('--disorder', '0.5')).toBe(2)
  })

  test('--limit and --policy can be repeated, and have the order in which they were stated', async () => {
    const policy = '{ kind: gcra, limit: 2, window: 1m }'
    const limits = ['--limit', '1/1m', '--policy', policy, '--limit', '1_000/1m']
    const { names, denied } = await replayed([0, 1, 2], ...limits)
    expect(names).toEqual(['slidingWindow 1/1m', 'slidingWindow 1000/1m', 'gcra 2/1m'])
    expect(denied).toEqual([2, 0, 1])
  })

  test('--grant replays each limit a second time, in which the key can take more units', async () => {
    const limits = ['--limit', '2/1m', '--policy', '{ kind: gcra, limit: 1, window: 1m }']
    const grants = ['--grant', '192.0.2.1=3', '--grant', '192.0.2.9=7']
    const { names, denied } = await replayed([0, 1, 2, 3, 4, 5, 70], ...limits, ...grants)
    expect(names).toEqual([
      'slidingWindow 2/1m',
      'slidingWindow 2/1m with grants',
      'gcra 1/1m',
      'gcra 1/1m with grants',
    ])
    expect(denied).toEqual([4, 1, 5, 2])
  })

  test.each([
    [['--limit', '9/1m', '--grant', '192.0.2.1'], 'Write a key and its units'],
    [['--limit', '9/1m', '--grant', '192.0.2.1=0'], 'Write a whole number from 1'],
    [['--suggest', 'keys<=1%', '--grant', 'a=b=5'], '--grant needs --limit or --policy'],
    [
      ['--policy', '{ kind: leakyQueue, leak: 1, every: 1m, maxDelay: 1m }', '--grant', 'a=5'],
      'none of concurrency, leakyQueue, staged',
    ],
  ])('%j is an error', async (args, message) => {
    const input = combinedLog([{ at: start, ip: '192.0.2.1' }])
    const { status, stderr } = await sluice(['simulate', '-', ...args], { input })
    expect([status, stderr.includes(message)]).toEqual([1, true])
  })

  test('a note says that a grant has changed nothing', async () => {
    const input = combinedLog([{ at: start, ip: '192.0.2.1' }])
    const args = ['--limit', '1/1m', '--grant', 'ip:192.0.2.1=5', '--json']
    const { notes } = JSON.parse((await sluice(['simulate', '-', ...args], { input })).stdout)
    expect(notes).toContain('1 grant changed nothing: no replayed request has such a key.')
  })

  test('--sample 100% replays all keys', async () => {
    expect((await replayed([0], '--limit', '1/1m', '--sample', '100%')).sampled).toBe(1)
    expect((await replayed([0], '--limit', '1/1m', '--sample', '12.5 %')).sampled).toBe(0.125)
  })

  test('--no-spread and --force', async () => {
    const burst = ['--policy', '{ kind: gcra, limit: 60, window: 1m, burst: 1 }']
    const seconds = [0, 0, 1, 1]
    const refused = await sluice(['simulate', '-', ...burst], {
      input: combinedLog(seconds.map((second) => ({ at: start + second * 1000, ip: '192.0.2.1' }))),
    })
    expect(refused.stderr).toContain('Use a log with milliseconds, or pass --force.')
    expect((await replayed(seconds, ...burst, '--force', '--no-spread')).denied).toEqual([2])
  })
})

describe('progress', () => {
  /** The output of `sluice simulate` on the standard error while a log arrives in two parts. */
  async function progressOf(isTTY: boolean, ...args: readonly string[]): Promise<string> {
    let stderr = ''
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const part = combinedLog([{ at: start, ip: '192.0.2.1' }])
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from(part)
        now += 300
        yield Buffer.from(part)
      })(),
    )
    const write = (): boolean => true
    const output = { isTTY, write: (text: string) => (stderr += text) }
    const terminal = { stdin, stdout: { write }, stderr: output, env: {}, exitCode: undefined }
    await run(['simulate', '-', '--limit', '1/1m', ...args], terminal)
    return stderr
  }

  test('is shown on a terminal, and removed at the end', async () => {
    expect(await progressOf(true)).toMatch(/^\r0\.0 MB, 0k lines\/s *\r +\r$/)
  })

  test.each<readonly [string, boolean, readonly string[]]>([
    ['without a terminal', false, []],
    ['with --quiet', true, ['--quiet']],
  ])('is not shown %s', async (_, isTTY, args) => {
    expect(await progressOf(isTTY, ...args)).toBe('')
  })
})
