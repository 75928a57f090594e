import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'

const sources = [':(glob)packages/*/src/**', ':(glob)packages/*/page/**', '.ci']

/** The lines of each folder of sources, as `wc -l` counts them: of each package, of its page, of the commands in .ci, and of these folders. */
export function linesOf(folders) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const found = run('git', [...list, ...sources], { cwd: root })
  const files = found
    .split('\0')
    .filter((file) => /(?:\.[cm]?[jt]s|\.html|\.css|^\.ci\/run)$/.test(file))
    .filter((file) => existsSync(join(root, file)))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
  const all = files.map(({ file }) => /^(?:packages\/[^/]+\/[^/]+|\.ci)(?=\/)/.exec(file)[0])
  return Object.fromEntries(
    [...new Set([...folders, ...all])].map((folder) => {
      const inside = files.filter(({ file }) => file.startsWith(`${folder}/`))
      return [folder, inside.reduce((sum, { lines }) => sum + lines, 0)]
    }),
  )
}
