import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Sees to it that there is a redis-server for the tests to start, or ends the process with what to do about it. */
export function provideRedis() {
  const { REDIS_SERVER } = process.env
  if (REDIS_SERVER !== undefined) {
    if (!runs(REDIS_SERVER)) fail(`REDIS_SERVER is "${REDIS_SERVER}", and that is no redis-server.`)
    return
  }
  if (runs('redis-server')) return
  if (process.getuid?.() === 0 && onPath('apt-get')) installWithApt()
  if (!runs('redis-server')) fail('The tests start a real Redis, and there is no redis-server.')
}

function runs(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.startsWith('Redis server v=')
}

function onPath(command) {
  return process.env.PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function installWithApt() {
  console.log('Installing redis-server with apt-get …')
  const installed = withoutStartingServices(
    () => aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', 'redis-server'),
  )
  if (!installed) fail('apt-get could not install redis-server: the lines above say why.')
  // Nor is it to start with the machine.
  if (existsSync('/run/systemd/system')) spawnSync('systemctl', ['disable', 'redis-server'])
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

function fail(reason) {
  console.error(`${reason}

Install Redis 7, then run this command again:

  Debian, Ubuntu   sudo apt-get install --no-install-recommends redis-server
  macOS            brew install redis

or say where a redis-server is:   REDIS_SERVER=/path/to/redis-server npm test
`)
  process.exit(1)
}
