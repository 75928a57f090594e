import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('pauses.mjs', import.meta.url))

interface Result {
  readonly looks: number
  readonly most: number
  readonly threads: number
  readonly length: number
}

test('a reload of 10,000 rules holds the event loop for 5 ms at a time', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const { looks, most, threads, length }: Result = JSON.parse(stdout)
  // Each look at the clock takes a millisecond. The sixth begins a slice.
  expect({ most, threads, length }).toEqual({ most: 6, threads: 2, length: 10_000 })
  expect(looks).toBeGreaterThan(1000)
}, 120_000)
