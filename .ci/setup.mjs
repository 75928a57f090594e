// Installs the workspace, as the lockfile says (--update: as the package.json files say, and writes the lockfile), and with --tests the
// redis-server that the tests start, and with --browser the browser of `npm run check:pages`. A second run has nothing to do and needs no network.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'
import { provideChromium, provideRedis } from './provision.mjs'
import { members, pnpm, root } from './workspace.mjs'

const stamp = join(root, 'node_modules', '.sluice-setup')

installDependencies()
if (process.argv.includes('--tests')) provideRedis()
if (process.argv.includes('--browser')) provideChromium()

function installDependencies() {
  const wanted = fingerprint()
  const update = process.argv.includes('--update')
  if (!update && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && allLinked()) return

  const [command, args] = pnpm(
    'install',
    update ? '--no-frozen-lockfile' : '--frozen-lockfile',
    '--prod=false',
  )
  console.log(`Installing the dependencies with ${args[1]} …`)
  // Without CI, pnpm asks on the terminal before it replaces another package manager's node_modules.
  run(command, args, { cwd: root, env: { ...process.env, CI: 'true' } })
  writeFileSync(stamp, fingerprint())
}

/** What an installation depends on. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    hash.update(readFileSync(join(root, file)))
  }
  for (const { manifest } of members()) hash.update(JSON.stringify(manifest))
  return hash.digest('hex')
}

/** Whether everything is still where the last installation put it. */
function allLinked() {
  return members().every(({ folder, manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).every((name) =>
      existsSync(join(folder, 'node_modules', name)),
    ),
  )
}
