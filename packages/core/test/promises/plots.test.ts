import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../../../.ci/plots.mjs', import.meta.url))

test('the plots in the docs are those that the algorithms produce', async () => {
  const checked = run(process.execPath, [program, '--check'])
  const { stderr } = await checked.catch((error: { readonly stderr: string }) => error)
  expect(stderr).toBe('')
})
