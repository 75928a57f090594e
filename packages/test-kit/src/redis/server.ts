import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'

/** The mapping of replies is a part of the client's type, and does not change. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>

/** A real Redis on a free port of the loopback. It writes nothing to disk. */
export interface RedisServer {
  readonly port: number
  /** The id of the server's process, for signals: SIGSTOP, SIGCONT, SIGKILL. */
  readonly pid: number
  /** A new connection, which `stop` closes. */
  client(options?: ClientOptions): Redis
  stop(): Promise<void>
}

export interface RedisSettings {
  /**
   * The port, to replace a server that has ended.
   *
   * @default a free port
   */
  readonly port?: number
  /** A file of settings, which the server may write to. */
  readonly file?: string
  /**
   * More settings, as on its command line.
   *
   * @default []
   */
  readonly settings?: readonly string[]
  /** The password that `client` sends, if the settings ask for one. */
  readonly password?: string
}

const startsWithinMs = 10_000

/**
 * Starts a server and waits until it answers. The binary is `REDIS_SERVER`, or the `redis-server` on the PATH. It never outlives this
 * process.
 *
 * @example
 * let server: RedisServer
 * beforeAll(async () => { server = await startRedis() })
 * afterAll(() => server.stop())
 */
export async function startRedis(given: RedisSettings = {}): Promise<RedisServer> {
  const binary = findBinary()
  const { file, settings = [], password } = given
  const port = given.port ?? (await freePort())
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', ...keepsNothing]
  const words = [...(file === undefined ? [] : [file]), ...options, ...settings]
  const child = spawn('sh', ['-c', guard, 'redis-guard', binary, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const log = logOf(child)
  const [pidLine] = await once(child.stdout, 'data')
  const pid = Number(pidLine)
  const clients = new Set<Redis>()

  function client(clientOptions: ClientOptions = {}): Redis {
    const auth = password === undefined ? {} : { password }
    const redis = new Redis(port, '127.0.0.1', { ...auth, ...clientOptions })
    // A killed server is not an error of the test; each command still fails.
    redis.on('error', () => {})
    clients.add(redis)
    return redis
  }

  async function stop(): Promise<void> {
    await Promise.all([...clients].map(async (redis) => disconnected(redis)))
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }

  const probe = client({
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
  })
  const started = await Promise.race([answersAs(probe, pid), delay(startsWithinMs, false)])
  probe.disconnect()
  clients.delete(probe)
  if (!started) {
    await stop()
    throw new Error(`${binary} did not start on port ${port}:\n${log()}`)
  }
  return { port, pid, client, stop }
}

/** The server writes no file, reads no file that another Redis left in this folder, and copies a master's data without a file. */
const keepsNothing = [
  '--save',
  '',
  '--appendonly',
  'no',
  '--dbfilename',
  'none.rdb',
  '--repl-diskless-load',
  'swapdb',
]

/**
 * Its input is a pipe that this process holds open. When this process ends, even by SIGKILL, the pipe closes, `cat` ends, and the server
 * is killed; an exit handler would not run then.
 */
const guard = `"$@" 1>&2 & echo $!; cat > /dev/null; kill -9 $!; wait`

/** The running servers. */
const known = new Set<string>()

function findBinary(): string {
  const binary = process.env['REDIS_SERVER'] ?? 'redis-server'
  // Once is enough: the call blocks this process, and would disturb a measurement in it.
  if (known.has(binary)) return binary
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' })
    known.add(binary)
    return binary
  } catch (cause) {
    const advice = 'Install Redis 7 (Debian: apt-get install redis-server)'
    throw new Error(`"${binary}" does not run. ${advice}, or set REDIS_SERVER to its path.`, {
      cause,
    })
  }
}

/**
 * A port on which no process listens. It is not in the range of outgoing connections, because one of these could then use the port of a server that
 * is to start again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      // Rejects if the port is in use.
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

function logOf(child: ChildProcessByStdio<Writable, Readable, Readable>): () => string {
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-2000)
  })
  return () => log
}

async function disconnected(redis: Redis): Promise<void> {
  if (redis.status === 'end') return
  const ended = once(redis, 'end')
  // Between two attempts there is no connection to close, and no event follows.
  const isWaiting = redis.status === 'reconnecting'
  redis.disconnect()
  if (!isWaiting) await ended
}

/** Whether our server answers. Between finding a port and using it, another process may have taken it. */
async function answersAs(probe: Redis, pid: number): Promise<boolean> {
  while (probe.status !== 'end' && !(await isLoaded(probe))) await delay(5)
  return (await probe.info('server')).includes(`process_id:${pid}\r\n`)
}

/** While it reads its file a server answers every command with an error. */
async function isLoaded(probe: Redis): Promise<boolean> {
  try {
    return (await probe.ping()) === 'PONG'
  } catch {
    return false
  }
}
