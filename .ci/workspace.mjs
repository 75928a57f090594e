import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder, independent of the working directory. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The workspace of the pages for users, with the generator of their site. */
export const docs = join(root, 'packages', 'docs')

/** The workspace of the runtimes and the frameworks that `npm run check:platforms` starts. */
export const platforms = join(root, 'packages', 'platforms')

/** The members of the workspace of the repository, the root first, with their folders and manifests. */
export function members() {
  const patterns = new Set(packagesOf(root))
  return [root, ...foldersIn('packages'), ...foldersIn('examples')]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .filter((folder) => !patterns.has(`!${relative(root, folder)}`))
    .map(memberIn)
}

/** The members of a workspace with a lockfile of its own. */
export function membersOf(workspace) {
  return packagesOf(workspace).map((path) => memberIn(join(workspace, path)))
}

/** The files in the work tree that Git does not ignore and that match one of these patterns of paths. */
export function filesOf(...patterns) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && existsSync(join(root, file)))
}

/** The names of the bundled entries: `index`, `http/index`. */
export function entriesOf({ exports = {} }) {
  return Object.values(exports).flatMap(({ default: file }) => {
    const [, name] = /^\.\/bundle\/(.*)\.js$/.exec(file) ?? []
    return name === undefined ? [] : [name]
  })
}

/** Whether all packages are installed, rather than none, or those that `npm start` installs: it installs no devDependencies. */
export function isComplete() {
  return existsSync(join(root, 'node_modules', 'typescript'))
}

/** The command line that runs the pnpm which package.json pins. It needs only npm. */
export function pnpm(...args) {
  const [version] = manifestOf(root).packageManager.split('+')
  return ['npx', ['--yes', version, ...args]]
}

/** The folders, or the patterns, that a workspace lists as its packages. */
function packagesOf(workspace) {
  const text = readFileSync(join(workspace, 'pnpm-workspace.yaml'), 'utf8')
  const [, list] = /^packages:\n((?:  .*\n)+)/m.exec(text)
  return [...list.matchAll(/^ {2}- '?([^'\n]+)'?$/gm)].map(([, path]) => path)
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
