// Runs the tests on each supported line of Node and, unless they are chosen, the programs of readers with the packed packages. Numeric arguments choose
// lines, other arguments choose tests:
//
//   npm run matrix                        all tests and programs on all lines
//   npm run matrix -- 22 packages/core    core's tests on Node 22
import { spawnSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { nodeOf } from './node-of.mjs'
import { root } from './workspace.mjs'

const supported = ['20.19', '22', '24', '26']

const isVersion = (argument) => /^\d+(\.\d+)*$/.test(argument)
const asked = process.argv.slice(2)
const chosen = asked.filter((argument) => isVersion(argument))
const tests = asked.filter((argument) => !isVersion(argument))

/** The steps of check-packages.mjs that run programs. The others are the same on each line. */
const programs = ['copies', 'applications', 'quickStarts', 'commandLine']

const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run']
const commands = [[...vitest, '--config', '.config/vitest.config.ts', ...tests]]
if (tests.length === 0) commands.push([join(root, '.ci', 'check-packages.mjs'), ...programs])

const results = []
for (const version of chosen.length > 0 ? chosen : supported) {
  const node = nodeOf(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`\n── Node ${version}: ${stdout.trim()}`)
  const passed = commands.map((command) => succeeds(node, command))
  // An unknown version runs on the current Node.
  const ran = stdout.startsWith(`v${version}.`) && !passed.includes(false)
  results.push({ Node: stdout.trim() || version, passed: ran })
}

console.table(results)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1

/** Whether a command succeeds on this Node, which is also the one of the programs that it starts by name. */
function succeeds(node, command) {
  const { status } = spawnSync(node, command, {
    cwd: root,
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return status === 0
}
