import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'

/** How replies are mapped is part of the client's type, and stays as it is. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>

/** A real Redis of one's own, on a free port of the loopback, that keeps nothing. */
export interface RedisServer {
  readonly port: number
  /** The server's own process, for what a test does to it: SIGSTOP, SIGCONT, SIGKILL. */
  readonly pid: number
  /** A new connection, which `stop` closes. */
  client(options?: ClientOptions): Redis
  stop(): Promise<void>
}

const startsWithinMs = 10_000

/**
 * Starts a server and waits until it answers. The binary is `REDIS_SERVER`, or the `redis-server` on the PATH. It never outlives this
 * process, however that ends.
 *
 * @example
 * let server: RedisServer
 * beforeAll(async () => { server = await startRedis() })
 * afterAll(() => server.stop())
 */
export async function startRedis(): Promise<RedisServer> {
  const binary = findBinary()
  const port = await freePort()
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('sh', ['-c', guard, 'redis-guard', binary, ...options], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const log = logOf(child)
  const [pidLine] = await once(child.stdout, 'data')
  const pid = Number(pidLine)
  const clients = new Set<Redis>()

  function client(clientOptions: ClientOptions = {}): Redis {
    const redis = new Redis(port, '127.0.0.1', clientOptions)
    // A server that a test kills is no error of the test; each command still fails by itself.
    redis.on('error', () => {})
    clients.add(redis)
    return redis
  }

  async function stop(): Promise<void> {
    await Promise.all([...clients].map(async (redis) => disconnected(redis)))
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }

  const probe = client({ retryStrategy: () => 20, maxRetriesPerRequest: null })
  const started = await Promise.race([answersAs(probe, pid), delay(startsWithinMs, false)])
  probe.disconnect()
  clients.delete(probe)
  if (!started) {
    await stop()
    throw new Error(`${binary} did not start on port ${port}:\n${log()}`)
  }
  return { port, pid, client, stop }
}

/**
 * Its input is a pipe that this process holds open. When this process ends, even by SIGKILL, the pipe closes, `cat` ends, and the server
 * is killed; an exit handler would not run then.
 */
const guard = `"$@" 1>&2 & echo $!; cat > /dev/null; kill -9 $!; wait`

function findBinary(): string {
  const binary = process.env['REDIS_SERVER'] ?? 'redis-server'
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' })
    return binary
  } catch (cause) {
    const advice = 'Install Redis 7 (Debian: apt-get install redis-server)'
    throw new Error(`"${binary}" does not run. ${advice}, or set REDIS_SERVER to its path.`, {
      cause,
    })
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
  redis.disconnect()
  await ended
}

/** Whether the one that answers is our server: between finding a port and using it, another may have taken it. */
async function answersAs(probe: Redis, pid: number): Promise<boolean> {
  await probe.ping()
  return (await probe.info('server')).includes(`process_id:${pid}\r\n`)
}
