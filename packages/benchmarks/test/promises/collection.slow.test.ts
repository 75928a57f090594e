import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('../../', import.meta.url))

const program = `
  import { createLimiter, fixedWindow, slidingWindow } from '@sluice/core'
  const limit = 1e6
  const one = createLimiter({ name: 'one', policies: fixedWindow({ limit, window: '1h' }) })
  const several = createLimiter({
    name: 'several',
    policies: { burst: slidingWindow({ limit, window: '1m' }), day: fixedWindow({ limit, window: '1d' }) },
  })
  function decide() {
    for (let i = 0; i < 30_000; i++) {
      one.consume('key:' + (i % 100))
      several.consume('key:' + (i % 100))
    }
  }
  for (let round = 0; round < 6; round++) {
    console.log('round', round)
    decide()
    // In a separate task, so that no decision is on the stack.
    await new Promise((resolve) => setTimeout(resolve, 5))
    gc()
  }
`

test('a full garbage collection discards no optimized code of a decision in memory', async () => {
  const node = ['--expose-gc', '--trace-deopt', '--input-type=module', '--eval', program]
  const { stdout } = await run(process.execPath, node, { cwd, maxBuffer: 1e8 })
  const [, steady] = stdout.split('round 2')
  expect(steady).toContain('round 5')
  expect(steady.split('\n').filter((line) => line.includes('weak objects'))).toEqual([])
})
