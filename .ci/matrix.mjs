// Runs the tests on each supported line of Node. Numeric arguments choose lines, other arguments choose tests:
//
//   npm run matrix                        all tests on all lines
//   npm run matrix -- 22 packages/core    core's tests on Node 22
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

const supported = ['20.19', '22', '24', '26']

const isVersion = (argument) => /^\d+(\.\d+)*$/.test(argument)
const asked = process.argv.slice(2)
const chosen = asked.filter((argument) => isVersion(argument))
const tests = asked.filter((argument) => !isVersion(argument))

const results = []
for (const version of chosen.length > 0 ? chosen : supported) {
  const node = ['--yes', '--package', `node@${version}`, '--', 'node']
  const { stdout } = spawnSync('npx', [...node, '--version'], { cwd: root, encoding: 'utf8' })
  console.log(`\n── Node ${version}: ${stdout.trim()}`)
  const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run']
  const options = ['--config', '.config/vitest.config.ts', ...tests]
  const { status } = spawnSync('npx', [...node, ...vitest, ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // Otherwise an unknown version would run on the current Node.
  const ran = stdout.startsWith(`v${version}.`) && status === 0
  results.push({ Node: stdout.trim() || version, passed: ran })
}

console.table(results)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
