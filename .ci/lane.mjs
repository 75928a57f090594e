import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

/** The time limit of a mutant: this multiple of the time that its tests take, plus `moreMs`. */
const timesAsLong = 3
const moreMs = 60_000

const longestMs = 3_600_000

const vitestConfig = '.config/vitest.config.ts'

/** A copy of the workspace in a temporary folder, in which mutants are planted one after the other. */
export function openLane(number) {
  const folder = mkdtempSync(join(tmpdir(), `sluice-mutants-${number}-`))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  let running
  let isClosed = false

  async function prepare() {
    // Git also lists deleted files.
    for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      copyFileSync(join(root, file), join(folder, file))
    }
    // A mutant may make a name unused, which is not the fault that it tests.
    const config = readFileSync(join(folder, 'tsconfig.base.json'), 'utf8')
    const lenient = config.replace(/("noUnused\w+": )true/g, '$1false')
    writeFileSync(join(folder, 'tsconfig.base.json'), lenient)
    await expectSuccess(run(process.execPath, ['.ci/setup.mjs']))
    // Compiled by `npm run setup -- --tests`, which takes minutes.
    const binary = join('packages', 'conformance', 'node_modules', 'better-sqlite3', 'build')
    if (existsSync(join(root, binary))) {
      cpSync(join(root, binary), join(folder, binary), { recursive: true })
    }
    await expectSuccess(build())
  }

  async function build() {
    return run(process.execPath, ['.ci/build.mjs'])
  }

  /** Runs the parts of an area's tests in order, up to the first failure. */
  async function test(tests, limitMs) {
    const options = [
      '--config',
      vitestConfig,
      '--project',
      'quick',
      '--project',
      'quick-isolated',
      '--bail',
      '1',
    ]
    const ends = performance.now() + limitMs
    for (const part of tests) {
      const args = [binOf('vitest', 'vitest'), 'run', ...options, ...part.split(' ')]
      const result = await run(process.execPath, args, Math.max(1, ends - performance.now()))
      if (result.status !== 0) return result
    }
    return { status: 0, output: '' }
  }

  /** Runs these tests without a mutant and returns their duration. */
  async function rehearse(tests, mutants) {
    const named = new Set(mutants.flatMap(({ file }) => namesakes(file)))
    const all = [...named, ...tests]
    let begins = performance.now()
    const first = await test(all, longestMs)
    if (first.status !== 0) {
      console.warn(`Failed without any mutant, and is tried once more: ${failureIn(first.output)}`)
      begins = performance.now()
      await expectSuccess(test(all, longestMs))
    }
    return performance.now() - begins
  }

  /** The result of a mutant: killed (by a test or by a timeout), survived, or invalid if it does not compile. */
  async function plant({ file, find, replace }, tests, usualMs) {
    const begins = performance.now()
    const path = join(folder, file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      source.replace(find, () => replace),
    )
    try {
      const built = await build()
      if (built.status !== 0)
        return { outcome: 'invalid', by: built.output, ms: performance.now() - begins }
      const tested = await test([...namesakes(file), ...tests], timesAsLong * usualMs + moreMs)
      const ms = performance.now() - begins
      if (tested.status === 0) return { outcome: 'survived', ms }
      if (tested.status === 'timeout') return { outcome: 'timeout', ms }
      return { outcome: 'killed', by: failureIn(tested.output), ms }
    } finally {
      writeFileSync(path, source)
    }
  }

  /** The tests of the same package that have the name of a source file. They run first, because they most likely test that file. */
  function namesakes(file) {
    const start = join(file.split('/src/')[0], 'test')
    const own = `/${basename(file, '.ts')}.test.ts`
    const named = files.filter((name) => name.startsWith(start) && name.endsWith(own))
    return named.length === 0 ? [] : [named.join(' ')]
  }

  /** Runs a program of this copy in its own process group, so that its child processes end with it. */
  function run(command, args, limitMs = longestMs) {
    return new Promise((resolve, reject) => {
      if (isClosed) return
      const stdio = ['ignore', 'pipe', 'pipe']
      const env = { ...process.env, NO_COLOR: '1', SLUICE_BUILT: '' }
      const child = spawn(command, args, { cwd: folder, stdio, env, detached: true })
      running = child
      let output = ''
      let isLate = false
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => (output += text))
      }
      const timer = setTimeout(() => {
        isLate = true
        killGroup(child)
      }, limitMs)
      child.on('error', reject)
      child.on('close', (status) => {
        clearTimeout(timer)
        running = undefined
        resolve({ status: isLate ? 'timeout' : status, output })
      })
    })
  }

  function binOf(name, program) {
    const home = join(folder, 'node_modules', name)
    const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    return join(home, bin[program])
  }

  /** Stops the running command and removes the folder. The lane starts no further command. */
  async function close() {
    isClosed = true
    if (running !== undefined) {
      const ended = new Promise((resolve) => running.once('close', resolve))
      killGroup(running)
      await ended
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  return { prepare, rehearse, plant, close }
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended already.
    if (error.code !== 'ESRCH') throw error
  }
}

async function expectSuccess(result) {
  const { status, output } = await result
  if (status === 0) return
  throw new Error(`This has to work before any mutant is planted:\n${output.slice(-5000)}`)
}

/** The test that failed first. */
function failureIn(output) {
  const [, name] = /^ *FAIL +(.*)$/m.exec(output) ?? []
  return name ?? output.trim().split('\n').at(-1)
}
