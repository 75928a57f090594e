import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('pauses.mjs', import.meta.url))

interface Result {
  readonly reload: number
  readonly atOnce: number
  readonly threads: number
  readonly loads: number
  readonly length: number
}

test('a reload of 10,000 rules blocks the event loop for less than a fifth of the time of parseRules', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const { reload, atOnce, threads, loads, length }: Result = JSON.parse(stdout)
  expect({ threads, length }).toEqual({ threads: loads, length: 10_000 })
  expect(reload).toBeLessThan(atOnce / 5)
}, 120_000)
