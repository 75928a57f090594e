import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLimiter, redisStore, slidingWindow, type Policies } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'

// The figures of memory on the page about operations. They are counts of bytes and do not depend on the speed of the machine.
const root = new URL('../../../../', import.meta.url)
const page = await readFile(new URL('packages/docs/operate/operations.md', root), 'utf8')
const server = useRedis()

/** Whether a measured figure is the stated one, as far as a reader would compare them. */
function isAbout(measured: number, stated: number): boolean {
  return Math.abs(measured / stated - 1) < 0.1
}

test('the page shows the bytes of a key that its program prints', async () => {
  const program = fileURLToPath(new URL('examples/docs/sizing.js', root))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program])
  const lines = stdout.trim().split('\n')
  const wrong = lines.filter((line) => {
    const [name, measured] = line.split(': ')
    const stated = page.split('\n').find((other) => other.startsWith(`${name}: `)) ?? ''
    return !isAbout(parseInt(measured, 10), parseInt(stated.slice(name.length + 2), 10))
  })
  expect(lines.length > 3).toBe(true)
  expect(wrong).toEqual([])
})

test('the page states the memory of a key in Redis', async () => {
  const [, all, own] =
    /about (\d+) MB with the default algorithm: (\d+) bytes for the hash/.exec(page) ?? []
  const [, two] = /^\| two of `slidingWindow`.*\| (\d+), \d+ \|$/m.exec(page) ?? []
  const second = slidingWindow({ limit: 10, window: '1s' })
  const minute = slidingWindow({ limit: 100, window: '1m' })
  const found = [await bytesOfAKey(minute), await bytesOfAKey({ second, minute })]
  const measured = [found[0].all, found[0].own, found[1].own]
  const isStated = [all, own, two].every((stated, i) => isAbout(measured[i], Number(stated)))
  expect(isStated, measured.join(', ')).toBe(true)
})

/** The growth of the memory of Redis for each key of a limiter, and what of it is in the key itself. */
async function bytesOfAKey(policies: Policies): Promise<{ all: number; own: number }> {
  const admin = server.client()
  // Nearly as many keys as fill the tables of Redis, which double at each power of two.
  const keys = 2 ** 14 - 256
  await admin.flushall()
  const limiter = createLimiter({
    name: 'api',
    policies,
    store: redisStore(server.client(), { timeout: '30s' }),
  })
  await limiter.consume('first')
  const before = await usedMemory()
  for (let from = 0; from < keys; from += 256) {
    const some = Array.from({ length: 256 }, (_, i) => `user:${10_000 + from + i}`)
    await Promise.all(some.map(async (key) => limiter.consume(key)))
  }
  const all = ((await usedMemory()) - before) / keys
  return { all, own: Number(await admin.memory('USAGE', 'sluice:api:1{user:10001}')) }

  async function usedMemory(): Promise<number> {
    return Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))?.[1])
  }
}
