import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** Installs a Debian package, where this process may: false where it may not. A service that comes with it is not started. */
export function installWithApt(name) {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) return false
  console.log(`Installing ${name} with apt-get …`)
  return withoutStartingServices(
    () => aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', name),
  )
}

export function isOnPath(command) {
  return process.env.PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Debian starts a service when its package is installed, unless this script (invoke-rc.d(8)) forbids it. */
function withoutStartingServices(install) {
  const policy = '/usr/sbin/policy-rc.d'
  const before = existsSync(policy) ? readFileSync(policy) : undefined
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return install()
  } finally {
    if (before === undefined) rmSync(policy)
    else writeFileSync(policy, before)
  }
}

function aptGet(...args) {
  const { status, stdout, stderr } = spawnSync('apt-get', ['-q', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status !== 0) console.error(stdout + stderr)
  return status === 0
}
