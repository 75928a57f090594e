import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { installWithApt } from './apt.mjs'

/** Sees to it that there is a redis-server for the tests to start, or ends the process with what to do about it. */
export function provideRedis() {
  const { REDIS_SERVER } = process.env
  if (REDIS_SERVER !== undefined) {
    if (!runs(REDIS_SERVER)) fail(`REDIS_SERVER is "${REDIS_SERVER}", and that is no redis-server.`)
    return
  }
  if (runs('redis-server')) return
  // Nor is it to start with the machine.
  if (installWithApt('redis-server') && existsSync('/run/systemd/system')) {
    spawnSync('systemctl', ['disable', 'redis-server'])
  }
  if (!runs('redis-server')) fail('The tests start a real Redis, and there is no redis-server.')
}

function runs(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.startsWith('Redis server v=')
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
