// Fails if a tracked file contains an invisible character, such as a zero-width space or a mark of direction: a file writes it as an escape. And fails if a
// test depends on the speed or the load of the machine: if it reads processor time or memory, or compares the time that something took with a bound from
// above. A test counts steps or entries instead, or holds the clock; figures are those of the benchmarks.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

const tests = ['packages/*/test/*.test.ts', 'packages/conformance/src/*.ts']
const figures = [':!packages/benchmarks', ':!packages/faults']
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}|(?![\t\n])\p{Cc}/u
const meters =
  /\b(?:cpuUsage|resourceUsage|heapUsed|memoryUsage|monitorEventLoopDelay|eventLoopUtilization)\b/
const difference = String.raw`\b(?:performance|Date)\.now\(\) - |- (?:performance|Date)\.now\(\)`
const fromAbove = String.raw`[^<\n]*(?:\.toBeLessThan|\s<=?\s)`

const problems = [
  ...filesOf(':!*.png').flatMap(checkCharacters),
  ...filesOf(...tests, ...figures).flatMap(checkTiming),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function filesOf(...patterns) {
  const list = ['ls-files', '-z', '--', ...patterns]
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && existsSync(join(root, file)))
}

function checkCharacters(file) {
  return linesOf(file).flatMap((line, i) => {
    const code = invisible.exec(line)?.[0].codePointAt(0).toString(16).toUpperCase()
    return code === undefined ? [] : [`${file}:${i + 1}: the invisible character U+${code}`]
  })
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
