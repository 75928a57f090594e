import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../redis/server.js'

/** A real PostgreSQL on a free port of the loopback. Its data is in a temporary folder. */
export interface PostgresServer {
  readonly port: number
  /** For a pool of `pg`, or for `postgres.js`. Each connection is that of a superuser. */
  readonly url: string
  /** Ends the server at once, as a crash does: after it, unlogged tables are empty. */
  crash(): Promise<void>
  /** Ends the server as an operator does: all connections are closed, and all tables are kept. */
  shutDown(): Promise<void>
  /** Starts the server again, on the same port and with the same data. */
  restart(): Promise<void>
  /** Stops all its processes without ending them. Connections stay open, and nothing is answered. */
  hang(): void
  /** Continues the processes that hang. */
  resume(): void
  stop(): Promise<void>
}

export interface PostgresSettings {
  /**
   * More settings, as on its command line: `['-c', 'max_connections=10']`.
   *
   * @default []
   */
  readonly settings?: readonly string[]
  /**
   * A running server. The new one is its standby: a copy that follows it by streaming replication, until `select pg_promote()`.
   *
   * @default none
   */
  readonly standbyOf?: Pick<PostgresServer, 'port'>
}

const startsWithinMs = 60_000

/**
 * Starts a server and waits until it accepts connections. Its programs are in the folder `POSTGRES_BIN`, on the PATH, or where Debian installs them. It refuses to
 * run as root, so root starts it as another user. It never outlives this process.
 */
export async function startPostgres({
  settings = [],
  standbyOf,
}: PostgresSettings = {}): Promise<PostgresServer> {
  const bin = findPrograms()
  const user = otherUser()
  const data = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  if (user !== undefined) chownSync(data, user.uid, user.gid)
  const [create, how] =
    standbyOf === undefined
      ? ['initdb', '-A trust -E UTF8 --locale=C']
      : ['pg_basebackup', `-h 127.0.0.1 -p ${standbyOf.port} -R -c fast`]
  const args = ['-D', data, '-U', 'postgres', '--no-sync', ...how.split(' ')]
  execFileSync(join(bin, create), args, { ...user, stdio: 'ignore', cwd: tmpdir() })
  const port = await freePort()
  const options = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', '', '-F', ...settings]
  const program = [join(bin, 'postgres'), ...options]
  let running = await startProcess(program, port, user)

  async function end(signal: NodeJS.Signals): Promise<void> {
    process.kill(running.pid, signal)
    // It removes this file when all its processes have ended.
    while (existsSync(join(data, 'postmaster.pid'))) await delay(5)
    await running.stop()
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const pid of [running.pid, ...childrenOf(running.pid)]) process.kill(pid, signal)
  }

  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash: () => end('SIGQUIT'),
    shutDown: () => end('SIGINT'),
    async restart() {
      running = await startProcess(program, port, user)
    },
    hang: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async stop() {
      await running.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

type User = { readonly uid: number; readonly gid: number } | undefined

interface Running {
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server whose data is there. */
async function startProcess(
  program: readonly string[],
  port: number,
  user: User,
): Promise<Running> {
  const child = spawn('sh', ['-c', guard, 'postgres-guard', ...program], {
    ...user,
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: tmpdir(),
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-2000)
  })
  const [pidLine] = await once(child.stdout, 'data')

  async function stop(): Promise<void> {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }

  if (await accepts(port)) return { pid: Number(pidLine), stop }
  await stop()
  throw new Error(`${program[0]} did not start on port ${port}:\n${log}`)
}

/** Its input is a pipe that this process holds open. When this process ends, even by SIGKILL, the pipe closes, and the server is stopped at once. */
const guard = `"$@" 1>&2 & echo $!; cat > /dev/null; kill -QUIT $!; kill -CONT $!; wait`

/** The folder of the programs of a server. */
function findPrograms(): string {
  const { POSTGRES_BIN, PATH = '' } = process.env
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  versions.sort((one, other) => Number(other) - Number(one))
  const folders =
    POSTGRES_BIN === undefined
      ? [...PATH.split(':'), ...versions.map((version) => join(debian, version, 'bin'))]
      : [POSTGRES_BIN]
  const found = folders.find((folder) =>
    ['postgres', 'initdb', 'pg_basebackup'].every((program) => existsSync(join(folder, program))),
  )
  if (found !== undefined) return found
  throw new Error(
    'PostgreSQL is not installed. Install version 14 or later (Debian: apt-get install postgresql), or set POSTGRES_BIN to the folder of its programs.',
  )
}

/** Another user than root, if this process is that of root. */
export function otherUser(): User {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((what) =>
      spawnSync('id', [what, name], { encoding: 'utf8' }),
    )
    if (uid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody".')
}

/** A process of a server has a session of its own, so a signal to the group of the first one does not reach it. */
function childrenOf(pid: number): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return processes
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child)
}

export async function accepts(port: number): Promise<boolean> {
  const until = Date.now() + startsWithinMs
  while (Date.now() < until) {
    if (await isReady(port)) return true
    await delay(20)
  }
  return false
}

/** Whether the server authenticates a user. While it starts, it refuses connections, or answers with an error. */
async function isReady(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(startup)
    const [reply] = await once(socket, 'data')
    return String(reply).startsWith('R')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The first message of a connection: its length, version 3.0 of the protocol, and the user. */
const startup = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1')
