// Installs the workspace by the lockfile, or by the package.json files with --update, which writes the lockfile. --example installs only what `npm start`
// needs, unless all packages are installed. --tests also installs the redis-server and the PostgreSQL of the tests, --sqlite the binary of better-sqlite3, --slow the pgbouncer, the promtool and
// the Python of the slow tests, --browser the browser of `npm run check:pages`, --site the generator of the site, and --platforms the runtimes and frameworks
// of `npm run check:platforms`. These two have lockfiles of their own, in packages/docs and packages/platforms. A second run has nothing to do and needs no
// network.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'
import {
  hasSqlite,
  provideChromium,
  providePgbouncer,
  providePrograms,
  providePostgres,
  provideRedis,
  provideSqlite,
} from './provision.mjs'
import { docs, isComplete, members, membersOf, platforms, pnpm, root } from './workspace.mjs'

if (process.argv.includes('--example') && !isComplete()) installExample()
else installDependencies(root, members())
if (process.argv.includes('--tests')) {
  provideRedis()
  providePostgres()
}
if (process.argv.includes('--sqlite')) provideSqlite()
else if (process.argv.includes('--tests') && !hasSqlite()) {
  console.log(`The tests of packages/sqlite do not run: Node ${process.versions.node} has no node:sqlite, and better-sqlite3 has no binary for it.
They run with Node 22.13 or later, or after npm run setup -- --sqlite. CI runs them with each version of Node.`)
}
if (process.argv.includes('--slow')) {
  providePgbouncer()
  providePrograms()
}
if (process.argv.includes('--browser')) provideChromium()
if (process.argv.includes('--site')) installDependencies(docs, membersOf(docs))
if (process.argv.includes('--platforms')) installDependencies(platforms, membersOf(platforms))

function installDependencies(folder, packages) {
  const stamp = join(folder, 'node_modules', '.sluice-setup')
  const wanted = fingerprint(folder, packages)
  const update = process.argv.includes('--update')
  if (!update && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && allLinked(packages))
    return

  install(folder, update ? '--no-frozen-lockfile' : '--frozen-lockfile', '--prod=false')
  writeFileSync(stamp, fingerprint(folder, packages))
}

/** Installs a tenth of all packages: what the Express example imports, and the `dependencies` of the root, which bundle-sources.mjs needs. */
function installExample() {
  const stamp = join(root, 'node_modules', '.sluice-example')
  const wanted = fingerprint(root, members())
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  install(root, '--frozen-lockfile', '--prod', '--filter-prod', '@sluice/example-express...')
  writeFileSync(stamp, wanted)
}

function install(folder, ...options) {
  // pnpm asks the registry for the age of each locked version, which can take minutes. That is done by --update, which adds versions, and on GitHub.
  const isChecked =
    options.includes('--no-frozen-lockfile') || process.env.GITHUB_ACTIONS !== undefined
  const age = isChecked ? [] : ['--config.minimumReleaseAge=0']
  const [command, args] = pnpm('install', ...options, ...age)
  console.log(`Installing the dependencies with ${args[1]} …`)
  // Without CI, pnpm asks on the terminal before it replaces another package manager's node_modules.
  run(command, args, { cwd: folder, env: { ...process.env, CI: 'true' } })
}

/** A hash of everything that an installation depends on. */
function fingerprint(folder, packages) {
  const hash = createHash('sha256').update(process.version)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    hash.update(readFileSync(join(folder, file)))
  }
  for (const { manifest } of packages) hash.update(JSON.stringify(manifest))
  return hash.digest('hex')
}

/** Whether all links of the last installation still exist. */
function allLinked(packages) {
  return packages.every(({ folder, manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).every((name) =>
      existsSync(join(folder, 'node_modules', name)),
    ),
  )
}
