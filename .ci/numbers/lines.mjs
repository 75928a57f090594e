import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, root } from '../workspace.mjs'

const sources = [':(glob)packages/*/src/**', ':(glob)packages/*/page/**', '.ci']

/** The lines of each folder of sources, as `wc -l` counts them: of each package, of its page, of the commands in .ci, and of these folders. */
export function linesOf(folders) {
  const files = filesOf(...sources)
    .filter((file) => /(?:\.[cm]?[jt]s|\.html|\.css|^\.ci\/run)$/.test(file))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
  const all = files.map(({ file }) => /^(?:packages\/[^/]+\/[^/]+|\.ci)(?=\/)/.exec(file)[0])
  return Object.fromEntries(
    [...new Set([...folders, ...all])].map((folder) => {
      const inside = files.filter(({ file }) => file.startsWith(`${folder}/`))
      return [folder, inside.reduce((sum, { lines }) => sum + lines, 0)]
    }),
  )
}
