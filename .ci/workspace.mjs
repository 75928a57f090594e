import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder, independent of the working directory. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The workspace's members, the root first, with their folders and manifests. */
export function members() {
  return [root, ...foldersIn('packages'), ...foldersIn('examples')]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(memberIn)
}

/** The site of the documentation is a workspace of its own. */
export function siteMembers() {
  return [memberIn(join(root, '.config', 'site'))]
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
