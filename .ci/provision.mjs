// Finds the programs that the tests start, a redis-server, a PostgreSQL and a browser, and installs the missing ones with apt-get if this process may. If it
// may not, the process ends with a message that says what to install.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

export function provideRedis() {
  const { REDIS_SERVER } = process.env
  if (REDIS_SERVER !== undefined) {
    if (!isRedis(REDIS_SERVER))
      fail(`REDIS_SERVER is "${REDIS_SERVER}", which is not a redis-server.`, redisHelp)
    return
  }
  if (isRedis('redis-server')) return
  if (installWithApt('redis-server')) disableService('redis-server')
  if (!isRedis('redis-server'))
    fail('The tests start a real Redis, but redis-server is not installed.', redisHelp)
}

const redisHelp = `Install Redis 7, then run this command again:

  Debian, Ubuntu   sudo apt-get install --no-install-recommends redis-server
  macOS            brew install redis

or set the path of one:   REDIS_SERVER=/path/to/redis-server npm test
`

export function providePostgres() {
  const { POSTGRES_BIN } = process.env
  if (POSTGRES_BIN !== undefined) {
    if (!isPostgres(POSTGRES_BIN))
      fail(`POSTGRES_BIN is "${POSTGRES_BIN}", where no PostgreSQL 14 or later is.`, postgresHelp)
    return
  }
  if (postgresFolders().some(isPostgres)) return
  if (installWithApt('postgresql')) disableService('postgresql')
  if (!postgresFolders().some(isPostgres))
    fail(
      'The tests start a real PostgreSQL, but version 14 or later is not installed.',
      postgresHelp,
    )
}

const postgresHelp = `Install PostgreSQL 14 or later, then run this command again:

  Debian, Ubuntu   sudo apt-get install --no-install-recommends postgresql
  macOS            brew install postgresql@17

or set the folder of its programs:   POSTGRES_BIN=/path/to/postgresql/bin npm test
`

export function providePgbouncer() {
  const { PGBOUNCER = 'pgbouncer' } = process.env
  if (isProgram(PGBOUNCER)) return
  if (installWithApt('pgbouncer')) disableService('pgbouncer')
  if (!isProgram(PGBOUNCER))
    fail(
      'The slow tests start a pgbouncer. Install it (Debian: apt-get install pgbouncer), or set PGBOUNCER to its program.',
      '',
    )
}

/** The promtool that checks the alerts, and the Python that opens a terminal for `sluice top`. */
export function providePrograms() {
  const { PROMTOOL = 'promtool' } = process.env
  const programs = [
    [PROMTOOL, 'prometheus'],
    ['python3', 'python3'],
  ]
  for (const [program, debian] of programs) {
    if (isProgram(program)) continue
    if (installWithApt(debian)) disableService(debian)
    if (!isProgram(program))
      fail(`The slow tests start ${program}. Install it (Debian: apt-get install ${debian}).`, '')
  }
}

function isProgram(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** The folders of the PATH, and those in which Debian installs the programs of a server. */
function postgresFolders() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  return [
    ...process.env.PATH.split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
}

/** Whether the programs of a server of a supported version are in this folder. */
function isPostgres(folder) {
  return ['postgres', 'initdb'].every((program) => {
    const { status, stdout } = spawnSync(join(folder, program), ['--version'], { encoding: 'utf8' })
    return status === 0 && Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]) >= 14
  })
}

/** Whether the tests of SQLite can run: with node:sqlite from Node 22.13 on, or with better-sqlite3 if it has a binary for this Node. */
export function hasSqlite() {
  return process.getBuiltinModule('node:sqlite') !== undefined || isSqlite()
}

/** Downloads the binary of better-sqlite3 from GitHub, or compiles it. */
export function provideSqlite() {
  if (isSqlite()) return
  console.log('Building better-sqlite3, which can take minutes …')
  if (!buildSqlite() && installWithApt('g++', 'make', 'python3')) buildSqlite()
  if (!isSqlite()) fail('better-sqlite3 could not be downloaded or compiled.', sqliteHelp)
}

const sqliteHelp = `Install a compiler, then run this command again:

  Debian, Ubuntu   sudo apt-get install --no-install-recommends g++ make python3
  macOS            xcode-select --install
`

const sqliteFolder = join(root, 'packages', 'test-kit', 'node_modules', 'better-sqlite3')

function buildSqlite() {
  // In CI the time of the compiler counts more than that of the tests.
  const flags = process.env.CI === undefined ? {} : { CFLAGS: '-O1', CXXFLAGS: '-O1' }
  const { status } = spawnSync('npm', ['run', 'install'], {
    cwd: realpathSync(sqliteFolder),
    stdio: 'ignore',
    env: { ...process.env, JOBS: 'max', ...flags },
  })
  return status === 0
}

/** A process of its own, because a binary for another version of Node can end it. */
function isSqlite() {
  const script = `new (require(${JSON.stringify(sqliteFolder)}))(':memory:')`
  return spawnSync(process.execPath, ['-e', script]).status === 0
}

export function provideChromium() {
  if (process.env.CHROMIUM !== undefined || browsers.some(isOnPath)) return
  if (installWithApt('chromium') && isOnPath('chromium')) return
  fail('The tests of the pages start a real Chromium, but none is installed.', chromiumHelp)
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const chromiumHelp = `Install it, then run this command again:

  Debian   sudo apt-get install --no-install-recommends chromium
  macOS    brew install --cask chromium

or set the path of one:   CHROMIUM=/path/to/chromium npm run check:pages
`

function isRedis(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.startsWith('Redis server v=')
}

function isOnPath(command) {
  return process.env.PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The machine must not start the service at boot either. */
function disableService(name) {
  if (existsSync('/run/systemd/system')) spawnSync('systemctl', ['disable', name])
}

/** Installs Debian packages without starting their services. False if this process may not. */
function installWithApt(...names) {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) return false
  console.log(`Installing ${names.join(', ')} with apt-get …`)
  return withoutStartingServices(
    () => aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', ...names),
  )
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

function fail(reason, help) {
  console.error(`${reason}\n\n${help}`)
  process.exit(1)
}
