import { execFileSync } from 'node:child_process'
import { relative } from 'node:path'
import { docs, root } from '../workspace.mjs'

let files

/** The files that a page about the code names and that do not exist: a page of `inside`, or that of the promises. A name can leave out the first folders. */
export function missingFiles(page, text) {
  if (!/^(?:inside\/|reference\/promises\.md)/.test(relative(docs, page))) return []
  const list = ['ls-files', '--cached', '--others', '--exclude-standard']
  files ??= execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const names = text.matchAll(/`([\w./-]+\.(?:ts|m?js|json))`/g)
  return Array.from(names, ([, name]) => name)
    .filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
    .map((name) => `there is no file ${name}`)
}
