import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { run } from '../command.mjs'

/** Editors and stack traces lead to readable TypeScript: every map finds its sources in the package. */
export async function* sources(packages, folder) {
  const project = join(folder, 'sources')
  for (const { manifest, tarball } of packages) {
    const target = join(project, 'node_modules', manifest.name)
    mkdirSync(target, { recursive: true })
    run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', target])
    const missing = mapsIn(target).flatMap((map) => missingIn(map))
    assert.deepEqual(missing, [], `${manifest.name}: its maps name sources that nobody has`)
  }
  const lines = stackOf(project)
  const [first] = lines
  assert.match(first, /\/core\/src\/[\w/-]+\.ts:\d+:\d+\)$/)
  assert.match(lines.join('\n'), /at rateLimit \(.*\/express\/src\/rate-limit\.ts:\d+:\d+\)$/m)
  for (const line of lines) assertCalls(line)
  yield `sources: maps lead to TypeScript, as do the ${lines.length} lines of a stack trace`
}

function mapsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.map'))
    .map((name) => join(folder, name))
}

function missingIn(file) {
  const { sources, sourcesContent = [], sourceRoot = '' } = JSON.parse(readFileSync(file, 'utf8'))
  const isMissing = (source, i) =>
    (sourcesContent[i] ?? null) === null && !existsSync(join(dirname(file), sourceRoot, source))
  return sources.filter((source, i) => isMissing(source, i)).map((source) => `${file}: ${source}`)
}

/** The lines of the packages in the stack of an error. */
function stackOf(project) {
  writeFileSync(join(project, 'program.mjs'), program)
  const stack = run(process.execPath, ['--enable-source-maps', 'program.mjs'], { cwd: project })
  return stack.split('\n').filter((line) => line.includes('/@sluice/'))
}

/** A line such as `at readOptions (…/readers.ts:116:3)` names a line of a source that calls the function of the line above, or throws. */
function assertCalls(line) {
  const [, file, row, column] = /\((.*):(\d+):(\d+)\)$/.exec(line) ?? []
  assert.ok(file, `no source: ${line}`)
  const text = readFileSync(file, 'utf8').split('\n')[row - 1]
  assert.match(text.slice(column - 1), /^(?:new )?[\w$.]+\(/, `no call: ${line}`)
}

const program = `
  import { rateLimit } from '@sluice/express'
  try {
    rateLimit({ limits: 5 })
  } catch (error) {
    console.log(error.stack)
  }
`
