// Compiles the packages, bundles them, and prepares the page of the dashboard. With SLUICE_BUILT=1, everything is built already and nothing is written:
// `.ci/run` sets it, because its steps run beside each other.
import { join } from 'node:path'
import process from 'node:process'
import { spawnSync } from 'node:child_process'
import { root } from './workspace.mjs'

const steps = [
  [join('node_modules', 'typescript', 'bin', 'tsc'), '-b', 'packages'],
  [join('.ci', 'bundle.mjs')],
  [join('.ci', 'dashboard-page.mjs')],
]

for (const step of process.env['SLUICE_BUILT'] === '1' ? [] : steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
