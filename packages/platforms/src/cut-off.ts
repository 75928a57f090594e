import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A connection to Redis that fails on demand. */
export interface CutOff {
  readonly port: number
  /** Closes the connection of the next script as soon as Redis has run it, instead of passing its reply on. */
  cutNext(): void
  /** How many scripts have passed. */
  scripts(): number
  stop(): void
}

/** Starts a proxy in front of a Redis. */
export async function startCutOff(redisPort: number): Promise<CutOff> {
  let isArmed = false
  let scripts = 0
  const open = new Set<{ destroy(): unknown }>()

  const server = createServer((client) => {
    const redis = connect(redisPort, '127.0.0.1')
    let isCut = false
    for (const socket of [client, redis]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        redis.destroy()
      })
    }
    client.on('data', (data) => {
      const runs = data.toString('latin1').match(/EVAL(?:SHA)?\r\n/gi)?.length ?? 0
      scripts += runs
      if (isArmed && runs > 0) {
        isArmed = false
        isCut = true
      }
      redis.write(data)
    })
    redis.on('data', (data) => {
      if (isCut) client.destroy()
      else client.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    cutNext: () => void (isArmed = true),
    scripts: () => scripts,
    stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
