import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('reloads.mjs', import.meta.url))
const mebibyte = 2 ** 20

interface Result {
  readonly decided: number
  readonly mixed: number
  readonly versions: number
  readonly half: { readonly heapUsed: number; readonly rss: number }
  readonly end: { readonly heapUsed: number; readonly rss: number }
}

test('no request is decided by two of 1,000 documents, and none of them stays in memory', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    program,
    '1000',
    '8',
  ])
  const { decided, mixed, versions, half, end }: Result = JSON.parse(stdout)
  expect(mixed).toBe(0)
  expect(decided).toBeGreaterThan(1000)
  expect(versions).toBeGreaterThan(500)
  expect(end.heapUsed - half.heapUsed).toBeLessThan(mebibyte)
  expect(end.rss - half.rss).toBeLessThan(32 * mebibyte)
}, 60_000)
