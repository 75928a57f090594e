// Compiles the packages, bundles them, and prepares the page of the dashboard. Before all packages are installed, it installs them; or, with --example, it
// only bundles what `npm start` needs. With SLUICE_BUILT=1, everything is built already and nothing is written:
// `.ci/run` sets it, because its steps run beside each other.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { spawnSync } from 'node:child_process'
import { isComplete, root } from './workspace.mjs'

const whole = [
  [join('node_modules', 'typescript', 'bin', 'tsc'), '-b', 'packages'],
  [join('.ci', 'bundle.mjs')],
  [join('.ci', 'dashboard-page.mjs')],
]

if (process.env['SLUICE_BUILT'] === '1') process.exit()
for (const name of readdirSync(join(root, 'packages'))) removeOrphans(join(root, 'packages', name))
for (const step of steps()) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function steps() {
  if (isComplete()) return whole
  if (process.argv.includes('--example')) return [[join('.ci', 'bundle-sources.mjs')]]
  return [[join('.ci', 'setup.mjs')], ...whole]
}

/** tsc keeps the modules and declarations of sources that have been deleted. */
function removeOrphans(folder) {
  const dist = join(folder, 'dist')
  for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true }) : []) {
    const source = file.replace(/\.(?:d\.ts|js)(?:\.map)?$/, '.ts')
    if (source !== file && !existsSync(join(folder, 'src', source))) rmSync(join(dist, file))
  }
}
