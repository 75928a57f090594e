// Fails if a test does not lie at the path of its source: `test/a/b.test.ts` and `test/a/b.more-words.test.ts` test `src/a/b.ts`, or the folder `src/a/b`. A
// folder beside `src`, such as the `page` of the dashboard, has its tests in `test/page`. Tests of many sources or of a promise lie in `test/promises`.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

/** These packages have no sources of their own to test: they test what several packages share. */
const shared = new Set(['conformance', 'platforms'])
const mostFlatFiles = 20

const tests = filesOf('packages/*/test/*.test.ts', 'packages/*/test/*.test-d.ts')
const misplaced = tests.filter((file) => !isAtItsSource(file))
const flat = filesOf(':(glob)packages/conformance/test/*.ts')

for (const file of misplaced) {
  console.error(`${file}: no source has this path. Tests of many sources lie in test/promises.`)
}
if (flat.length > mostFlatFiles) {
  console.error(`packages/conformance/test has ${flat.length} files, and not ${mostFlatFiles}.`)
}
process.exitCode = misplaced.length === 0 && flat.length <= mostFlatFiles ? 0 : 1

function isAtItsSource(file) {
  const [, name, path] = /^packages\/([^/]+)\/test\/((?:.*\/)?[^./]+)\./.exec(file)
  if (shared.has(name) || path.startsWith('promises/')) return true
  const sources = [`src/${path}.ts`, `src/${path}`, `${path}.js`, path]
  return sources.some((source) => existsSync(join(root, 'packages', name, source)))
}

function filesOf(...patterns) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && existsSync(join(root, file)))
}
