// Fails if a test depends on the speed or the load of the machine: if it reads processor time or memory, or compares the time that something took with a bound
// from above. A test counts steps or entries instead, or holds the clock; figures are those of the benchmarks.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

const tests = ['packages/*/test/*.test.ts', 'packages/conformance/src/*.ts']
const figures = [':!packages/benchmarks', ':!packages/faults']
const meters =
  /\b(?:cpuUsage|resourceUsage|heapUsed|memoryUsage|monitorEventLoopDelay|eventLoopUtilization)\b/
const difference = String.raw`\b(?:performance|Date)\.now\(\) - |- (?:performance|Date)\.now\(\)`
const fromAbove = String.raw`[^<\n]*(?:\.toBeLessThan|\s<=?\s)`

const files = execFileSync('git', ['ls-files', '-z', '--', ...tests, ...figures], {
  cwd: root,
  encoding: 'utf8',
}).split('\0')
const problems = files.filter((file) => file !== '' && existsSync(join(root, file))).flatMap(check)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function check(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const named = new RegExp(String.raw`\b(\w+)\s*[:=]\s[^\n]*(?:${difference})`, 'g')
  const names = Array.from(text.matchAll(named), ([, name]) => String.raw`\b${name}\b`)
  const durations = [difference, String.raw`\bdurationMs\b`, ...names].join('|')
  const bounded = new RegExp(String.raw`expect\([^\n]*(?:${durations})${fromAbove}`)
  return text.split('\n').flatMap((line, i) => {
    if (meters.test(line)) return [`${file}:${i + 1}: a test reads processor time or memory`]
    return bounded.test(line) ? [`${file}:${i + 1}: a test bounds a time from above`] : []
  })
}
