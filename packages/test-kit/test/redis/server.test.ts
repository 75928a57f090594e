import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startRedis } from '@sluice/test-kit/redis'
import { afterEach, describe, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a Redis for tests', () => {
  test('replies on a separate port, writes nothing to disk, and ends when it is stopped', async () => {
    const server = await startRedis()
    const client = server.client()
    expect(await client.config('GET', 'port')).toEqual(['port', `${server.port}`])
    expect(await client.config('GET', 'save')).toEqual(['save', ''])
    expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'no'])
    await server.stop()
    expect(client.status).toBe('end')
    expect(await isGone(server.pid)).toBe(true)
  })

  test('does not outlive a process that is killed', async () => {
    const program = `
      import { startRedis } from '@sluice/test-kit/servers'
      const { pid } = await startRedis()
      process.stdout.write(String(pid), () => process.kill(process.pid, 'SIGKILL'))
    `
    const args = ['--input-type=module', '--eval', program]
    const running = promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
    const { signal, stdout } = await running
      .catch((error: { signal: string; stdout: string }) => error)
      .then((ended) => ({
        signal: 'signal' in ended ? ended.signal : undefined,
        stdout: ended.stdout,
      }))
    expect(signal).toBe('SIGKILL')
    expect(await isGone(Number(stdout))).toBe(true)
  })

  test('names the package to install if the binary is missing', async () => {
    vi.stubEnv('REDIS_SERVER', '/nowhere/redis-server')
    await expect(startRedis()).rejects.toThrow(
      '"/nowhere/redis-server" does not run. Install Redis 7 (Debian: apt-get install ' +
        'redis-server), or set REDIS_SERVER to its path.',
    )
  })
})

/** Whether a process ends within a moment. A killed process needs some time. */
async function isGone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    try {
      process.kill(pid, 0)
    } catch {
      return true
    }
    await delay(20)
  }
  return false
}
