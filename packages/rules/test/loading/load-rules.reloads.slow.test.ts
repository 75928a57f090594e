import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('reloads.mjs', import.meta.url))

interface Result {
  readonly decided: number
  readonly mixed: number
  readonly versions: number
  readonly kept: number
}

test('no request is decided by two of 1,000 documents, and none of them stays in memory', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    program,
    '1000',
    '8',
  ])
  const { decided, mixed, versions, kept }: Result = JSON.parse(stdout)
  expect({ mixed, versions, kept }).toEqual({ mixed: 0, versions: 1001, kept: 1 })
  expect(decided).toBeGreaterThanOrEqual(1000)
}, 60_000)
