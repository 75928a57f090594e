// Finds invisible characters: zero-width and direction marks, soft hyphens, byte order marks, odd spaces, control characters. A
// file that needs one writes it as an escape.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}|(?![\n\t])\p{Cc}/u
const binary = /\.png$/

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
const files = tracked
  .split('\0')
  .filter((file) => file !== '' && !binary.test(file) && existsSync(join(root, file)))
const problems = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const [found] = invisible.exec(line) ?? []
      if (found === undefined) return []
      const code = found.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')
      return [`${file}:${i + 1}: the invisible character U+${code}`]
    }),
)

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
