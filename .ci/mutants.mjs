// Plants each fault of `packages/conformance/mutants.json`, and fails if the test that it names does not: such a test proves nothing. A fault breaks a promise, by
// another text in place of one that its source contains once. `npm run test:all -- mutants` plants all, `node .ci/mutants.mjs stores` those in a file of such a path.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { spawnSync } from 'node:child_process'
import { root } from './workspace.mjs'

const [wanted = ''] = process.argv.slice(2)
const list = join(root, 'packages', 'conformance', 'mutants.json')
const faults = JSON.parse(readFileSync(list, 'utf8'))
let failures = 0
for (const fault of faults.filter(({ source }) => source.includes(wanted))) {
  const reason = survives(fault)
  console.log(
    `${reason === undefined ? 'found' : `FAILED: ${reason}`}  ${fault.source}: ${fault.breaks}`,
  )
  if (reason !== undefined) failures++
}
build()
process.exit(failures > 0 ? 1 : 0)

/** Why the test does not prove the promise; undefined if it fails only because of the fault. */
function survives({ source, from, to, test }) {
  const file = join(root, source)
  const text = readFileSync(file, 'utf8')
  if (text.split(from).length !== 2) return 'the text is not in the source, or more than once'
  const restore = () => writeFileSync(file, text)
  process.once('exit', restore)
  try {
    writeFileSync(
      file,
      text.replace(from, () => to),
    )
    if (!build()) return 'the fault does not compile'
    if (passes(test)) return `${test} passes`
  } finally {
    restore()
    process.off('exit', restore)
  }
  return build() && passes(test) ? undefined : `${test} also fails without the fault`
}

function build() {
  return run('.ci/build.mjs')
}

function passes(test) {
  const projects = ['quick', 'quick-isolated'].flatMap((name) => ['--project', name])
  return run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    '.config/vitest.config.ts',
    '--bail',
    '1',
    ...projects,
    test,
  )
}

function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore' }).status === 0
}
