// Plants small mutants in the sources, one at a time, and runs the tests of their area against each: a mutant that the tests do not notice has
// survived. The exit code is 1 if fewer than 90 % are killed.
//
//   npm run mutants                     all of them
//   npm run mutants -- steps            the mutants whose area or file contains this word
//   npm run mutants -- --lanes 1        one at a time (default: 2)
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { run } from './command.mjs'
import { areas } from './mutants/areas.mjs'
import { root } from './workspace.mjs'

const leastKilled = 0.9
const longestMs = 300_000

const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: { lanes: { type: 'string', default: '2' } },
})

const chosen = areas.flatMap(({ area, tests, mutants }) =>
  mutants
    .map((mutant) => ({ area, tests, ...mutant }))
    .filter(({ file, name }) => words.every((word) => `${area} ${file} ${name}`.includes(word))),
)
const queue = [...chosen]
const results = []
await Promise.all(Array.from({ length: Number(values.lanes) }, () => playLane()))
report()

/** A lane works in a copy of the workspace, so that nothing is ever planted in the sources themselves. */
async function playLane() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutants-'))
  try {
    cpSync(root, folder, { recursive: true, filter: isSource })
    run('node', ['.ci/setup.mjs'], { cwd: folder })
    await outcomeOf('npx', ['tsc', '-b', 'packages'], folder)
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await play(next, folder)
      results.push({ ...next, outcome })
      console.log(`${outcome.padEnd(8)}  ${next.area}: ${next.file}: ${next.name}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isSource(path) {
  return !/\/(?:node_modules|dist|\.git)$/.test(path) && !path.endsWith('.tsbuildinfo')
}

async function play({ file, find, replace, tests }, folder) {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) return 'MISSING'
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    if ((await outcomeOf('npx', ['tsc', '-b', 'packages'], folder)) !== 'passed') return 'compiler'
    const vitest = ['vitest', 'run', '--config', '.config/vitest.config.ts', '--bail', '1']
    const outcome = await outcomeOf('npx', [...vitest, ...tests], folder)
    return outcome === 'passed' ? 'SURVIVED' : 'killed'
  } finally {
    writeFileSync(path, source)
  }
}

/** A mutant may loop for ever: what takes too long has failed. */
function outcomeOf(command, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: 'ignore', detached: true })
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), longestMs)
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? 'passed' : 'failed')
    })
  })
}

function report() {
  const rows = {}
  for (const { area, outcome } of results) {
    const row = (rows[area] ??= { mutants: 0, killed: 0 })
    row.mutants++
    if (isKilled(outcome)) row.killed++
  }
  console.table(rows)
  const killed = results.filter(({ outcome }) => isKilled(outcome)).length
  console.log(`${killed} of ${results.length} killed`)
  for (const { outcome, area, file, name } of results) {
    if (!isKilled(outcome)) console.log(`${outcome}  ${area}: ${file}: ${name}`)
  }
  const isMissing = results.some(({ outcome }) => outcome === 'MISSING')
  process.exitCode = isMissing || killed < leastKilled * results.length ? 1 : 0
}

function isKilled(outcome) {
  return outcome === 'killed' || outcome === 'compiler'
}
