// Fails for three kinds of problems that oxlint does not know:
//
// - A file contains an invisible character, such as a zero-width space or a mark of direction. A file writes it as an escape.
// - A test does not lie at the path of its source: `test/a/b.test.ts` and `test/a/b.more-words.test.ts` test `src/a/b.ts`, or the folder `src/a/b`. A folder
//   beside `src`, such as the `page` of the dashboard, has its tests in `test/page`. Tests of many sources or of a promise lie in `test/promises`.
// - A test depends on the speed or the load of the machine: it reads processor time or memory, or compares the time that something took with a bound from
//   above. A test counts steps or entries instead, or holds the clock; figures are those of the benchmarks.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { filesOf, root } from './workspace.mjs'

const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}|(?![\t\n])\p{Cc}/u

/** These packages have no sources of their own to test: they test what several packages share. */
const shared = new Set(['conformance', 'platforms'])
const mostFlatFiles = 20

const timed = ['packages/*/test/*.test.ts', 'packages/conformance/src/*.ts']
const figures = [':!packages/benchmarks', ':!packages/faults']
const meters =
  /\b(?:cpuUsage|resourceUsage|heapUsed|memoryUsage|monitorEventLoopDelay|eventLoopUtilization)\b/
const difference = String.raw`\b(?:performance|Date)\.now\(\) - |- (?:performance|Date)\.now\(\)`
const fromAbove = String.raw`[^<\n]*(?:\.toBeLessThan|\s<=?\s)`

const flat = filesOf(':(glob)packages/conformance/test/*.ts')
const problems = [
  ...filesOf(':!*.png').flatMap(checkCharacters),
  ...filesOf('packages/*/test/*.test.ts', 'packages/*/test/*.test-d.ts').flatMap(checkPlace),
  ...filesOf(...timed, ...figures).flatMap(checkTiming),
]
if (flat.length > mostFlatFiles)
  problems.push(`packages/conformance/test has ${flat.length} files, and not ${mostFlatFiles}.`)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function checkCharacters(file) {
  return linesOf(file).flatMap((line, i) => {
    const code = invisible.exec(line)?.[0].codePointAt(0).toString(16).toUpperCase()
    return code === undefined ? [] : [`${file}:${i + 1}: the invisible character U+${code}`]
  })
}

function checkPlace(file) {
  const [, name, path] = /^packages\/([^/]+)\/test\/((?:.*\/)?[^./]+)\./.exec(file)
  if (shared.has(name) || path.startsWith('promises/')) return []
  const sources = [`src/${path}.ts`, `src/${path}`, `${path}.js`, path]
  if (sources.some((source) => existsSync(join(root, 'packages', name, source)))) return []
  return [`${file}: no source has this path. Tests of many sources lie in test/promises.`]
}

function checkTiming(file) {
  const lines = linesOf(file)
  const named = new RegExp(String.raw`\b(\w+)\s*[:=]\s[^\n]*(?:${difference})`, 'g')
  const names = Array.from(lines.join('\n').matchAll(named), ([, name]) => `\\b${name}\\b`)
  const durations = [difference, String.raw`\bdurationMs\b`, ...names].join('|')
  const bounded = new RegExp(String.raw`expect\([^\n]*(?:${durations})${fromAbove}`)
  return lines.flatMap((line, i) => {
    if (meters.test(line)) return [`${file}:${i + 1}: a test reads processor time or memory`]
    return bounded.test(line) ? [`${file}:${i + 1}: a test bounds a time from above`] : []
  })
}

function linesOf(file) {
  return readFileSync(join(root, file), 'utf8').split('\n')
}
