import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { startRedis, useRedis } from '@sluice/test-kit/redis'
import { onTestFinished, expect, test } from 'vitest'
import { folderWith, type Ran } from '../sluice.js'
import { applicationIn } from '../live/application.js'
import { authorization, pageServer } from '../live/page-server.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const pty = fileURLToPath(new URL('../live/on-pty.py', import.meta.url))
const packages = fileURLToPath(new URL('../../..', import.meta.url))

const redis = useRedis()

/** Runs the command as a process of its own. */
async function run(args: readonly string[], cwd: string): Promise<Ran> {
  const { NO_COLOR: _color, FORCE_COLOR: _forced, ...env } = process.env
  const child = spawn(process.execPath, [main, ...args], { cwd, env })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const [status] = await once(child, 'close')
  return { status, stdout, stderr }
}

test('a process blocks a key of another one, and finds it', async () => {
  const { api, place, cwd } = await applicationIn(redis)
  const limiter = ['--limiter', 'api']
  await api.consume(['user', 42])
  const blocked = await run(['block', '["user",42]', '10m', ...place, ...limiter], cwd)
  expect([blocked.status, blocked.stderr]).toEqual([0, ''])
  expect((await api.consume(['user', 42])).allowed).toBe(false)
  const { stdout } = await run(['keys', '--blocked', ...place], cwd)
  expect(stdout).toMatch(/ {2}api {2}default {2}\|user\|42\n1 key searched, 1 blocked\n$/)
})

test('a module of limiters with a connection of its own does not keep the process alive', async () => {
  const { api } = await applicationIn(redis)
  await api.close()
  const cwd = await folderWith({
    'limiters.mjs': `import { createLimiter, redisStore } from ${JSON.stringify(join(packages, 'core/bundle/index.js'))}
import ioredis from ${JSON.stringify(join(packages, 'cli/node_modules/ioredis/built/index.js'))}
const store = redisStore(new ioredis.Redis(${redis.port}), { timeout: 5000 })
export const limiter = createLimiter({ name: 'own', limit: 10, window: '1h', store })`,
  })
  const place = ['--limiters', 'limiters.mjs']
  const { stdout } = await run(['penalize', 'ann', '3', ...place], cwd)
  expect(stdout).toMatch(/^took 3 units from ann\n\nown {2}default {2}allowed {2}3 used/)
  const { status, stderr } = await run(['keys', '--blocked', ...place], cwd)
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'error: a search needs --redis or --url\n',
  })
})

test('a Redis that accepts the connection and does not answer is an error', async () => {
  const server = await startRedis()
  onTestFinished(async () => {
    process.kill(server.pid, 'SIGCONT')
    await server.stop()
  })
  await server.client().ping()
  process.kill(server.pid, 'SIGSTOP')
  const { cwd } = await applicationIn(redis)
  const place = ['--redis', `redis://127.0.0.1:${server.port}`, '--limiters', 'limiters.mjs']
  expect(await run(['status', 'ann', ...place], cwd)).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: no connection to redis://127.0.0.1:${server.port}: Command timed out\n`,
  })
})

test('top prints a line for each interval into a pipe, until it is closed', async () => {
  const page = await pageServer()
  const args = ['top', '--url', page.url, '--header', authorization, '--interval', '0.5']
  const child = spawn(process.execPath, [main, ...args])
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      if (stdout.split('\n').length === 3) {
        // A failure in between is said, and does not end the command.
        page.answer = (response) => response.writeHead(404).end()
      }
      if (stdout.split('\n').length === 5) resolve()
    })
    child.stderr.on('data', () => (page.answer = undefined))
  })
  child.stdout.destroy()
  const [status] = await once(child, 'close')
  expect(status).toBe(0)
  expect(new Set(stdout.split('\n')).size).toBe(2)
  expect(stderr).toMatch(/^(?:error: \S+ answers 404: is it the URL of a Sluice dashboard\?\n)+$/)
})

interface Shown {
  readonly output: string
  readonly status: number | null
  /** Whether the settings of the terminal are those from before. */
  readonly restored: boolean
}

/** Runs top on a pseudo-terminal of 100 columns and 30 rows. */
async function topOnPty(url: string, steps: readonly object[]): Promise<Shown> {
  const args = [main, 'top', '--url', url, '--header', authorization, '--interval', '1']
  const child = spawn('python3', [pty, JSON.stringify(steps), process.execPath, ...args])
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  await once(child, 'close')
  return JSON.parse(stdout)
}

const escape = '\u001b['
const start = `${escape}?1049h${escape}?25l`
const end = `${escape}?25h${escape}?1049l`

test('top draws on the whole screen, follows its size, and restores it on q', async () => {
  const page = await pageServer()
  const { output, status, restored } = await topOnPty(page.url, [
    { until: 'key with the most requests', resize: [40, 9] },
    { until: 'denials', send: ' ' },
    { until: 'denials', send: 'xq' },
  ])
  expect({ status, restored }).toEqual({ status: 0, restored: true })
  expect(output.startsWith(start) && output.endsWith(end)).toBe(true)
  expect(output.split(start).length).toBe(2)
  const [first, ...others] = output.slice(start.length).split(`${escape}H`).slice(1).map(linesIn)
  expect(first.length).toBe(12)
  expect(first[0]).toMatch(
    /^sluice top {2}09:00:04 UTC {2}2 processes {2}q quits {2}http.*\/limits\/$/,
  )
  expect(first[6]).toBe(
    String.raw`  1 200  never    api      hour (blocked)  ["x\u001b[31m\u202ey"]`,
  )
  for (const lines of others) {
    expect(lines.length).toBe(9)
    expect(lines.filter((line) => line.length > 39)).toEqual([])
  }
})

test.each([
  ['Ctrl-C', { send: '\u0003' }, 0],
  ['SIGTERM', { signal: 15 }, 143],
])('top restores the screen on %s', async (_, step, code) => {
  const page = await pageServer()
  const { output, status, restored } = await topOnPty(page.url, [{ until: 'denied key', ...step }])
  expect({ status, restored, isRestored: output.endsWith(end) }).toEqual({
    status: code,
    restored: true,
    isRestored: true,
  })
})

test('top says why it is not refreshed, and tries again', async () => {
  const page = await pageServer()
  let views = 0
  const { view } = page
  Object.defineProperty(page, 'view', {
    get() {
      views++
      return views === 2 ? undefined : view
    },
  })
  const { output, status } = await topOnPty(page.url, [
    { until: 'denied key' },
    { until: 'not refreshed: ' },
    { until: 'denied key' },
    { until: '09:00:04', send: 'q' },
  ])
  expect(status).toBe(0)
  const screens = output.slice(start.length).split(`${escape}H`).slice(1).map(linesIn)
  expect(screens[1][1]).toMatch(/^not refreshed: no answer from \S+: Unexpected end of JSON/)
  expect(screens.at(-1)?.[1]).toBe('')
})

/** The lines of a screen, without colors and other sequences. */
function linesIn(screen: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- sequences of a terminal begin with this character
  return screen.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').split(/\r+\n/)
}
