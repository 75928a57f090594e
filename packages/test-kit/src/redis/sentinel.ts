import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { followed } from './replica.js'
import { startRedis, type RedisServer } from './server.js'

/** A real master with one replica on the loopback, and the Sentinels that watch over them. */
export interface RedisSentinels {
  /** The name of the master in the Sentinels' settings. */
  readonly name: string
  readonly sentinels: readonly RedisServer[]
  readonly master: RedisServer
  readonly replica: RedisServer
  stop(): Promise<void>
}

const name = 'counts'
const watchers = 3
const agreesWithinMs = 20_000

/**
 * Starts a master, its replica and three Sentinels, two of which have to agree that the master is gone, and waits until each of them knows
 * all the others.
 *
 * @param downAfterMs how long the master must have been silent to be taken for gone
 */
export async function startSentinels(downAfterMs: number): Promise<RedisSentinels> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-sentinel-'))
  const started: RedisServer[] = []

  async function stop(): Promise<void> {
    await Promise.all(started.map(async (server) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  }

  async function start(settings: readonly string[], file?: string): Promise<RedisServer> {
    const own = ['--dir', folder, '--dbfilename', `${started.length}.rdb`, ...settings]
    const server = await startRedis(file === undefined ? { settings: own } : { settings, file })
    started.push(server)
    return server
  }

  try {
    const master = await start(['--repl-diskless-sync-delay', '0'])
    const replica = await start(['--replicaof', '127.0.0.1', `${master.port}`])
    await followed(replica.client(), master.client())
    const sentinels: RedisServer[] = []
    for (let i = 0; i < watchers; i++) {
      const file = join(folder, `sentinel-${i}.conf`)
      await writeFile(file, watching(master.port, downAfterMs))
      sentinels.push(await start(['--sentinel'], file))
    }
    for (const sentinel of sentinels) {
      await says(sentinel, 'sentinel', `slaves=1,sentinels=${watchers}`)
    }
    return { name, sentinels, master, replica, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function watching(port: number, downAfterMs: number): string {
  return [
    `sentinel monitor ${name} 127.0.0.1 ${port} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 5000`,
    '',
  ].join('\n')
}

async function says(server: RedisServer, section: string, text: string): Promise<void> {
  const admin = server.client()
  const deadline = performance.now() + agreesWithinMs
  while (!(await admin.info(section)).includes(text)) {
    if (performance.now() > deadline) throw new Error(`a server did not say ${text} in time`)
    await delay(20)
  }
}
