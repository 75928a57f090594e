import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder, independent of the working directory. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The folder of the pages for users. With the generator of their site, it is a workspace of its own. */
export const docs = join(root, 'packages', 'docs')

/** The workspace's members, the root first, with their folders and manifests. */
export function members() {
  return [root, ...foldersIn('packages'), ...foldersIn('examples')]
    .filter((folder) => folder !== docs && existsSync(join(folder, 'package.json')))
    .map(memberIn)
}

/** The only member of the workspace of the pages. */
export function docsMembers() {
  return [memberIn(docs)]
}

/** The command line that runs the pnpm which package.json pins. It needs only npm. */
export function pnpm(...args) {
  const [version] = manifestOf(root).packageManager.split('+')
  return ['npx', ['--yes', version, ...args]]
}

function foldersIn(parent) {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, parent, entry.name))
}

function memberIn(folder) {
  return { folder, manifest: manifestOf(folder) }
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
