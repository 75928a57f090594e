import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A proxy between a client and a server that simulates a bad network. */
export interface Proxy {
  readonly port: number
  /** Delays all data by this time from now on, in each direction. */
  delay(ms: number): void
  /** Cuts off the next reply with a decision after this number of bytes and closes the connection. Resolves when that has happened. */
  cut(afterBytes: number): Promise<void>
  /** Connects new connections to another server, as if another machine had taken over the address. */
  redirect(target: number): void
  stop(): Promise<void>
}

const array = '*'.charCodeAt(0)

export async function startProxy(first: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let target = first
  let delayMs = 0
  let cutting: { readonly afterBytes: number; readonly done: () => void } | undefined

  function track(socket: Socket): Socket {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    return socket
  }

  /** Delays chunks and keeps their order, even if the delay becomes shorter. */
  function late(write: (chunk: Buffer) => void): (chunk: Buffer) => void {
    let before = Promise.resolve()
    return (chunk) => {
      const mine = delayMs === 0 ? undefined : delay(delayMs)
      const turn = before
      before = (async () => {
        await mine
        await turn
        write(chunk)
      })()
    }
  }

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    track(near).on('close', () => far.destroy())
    track(far).on('close', () => near.destroy())
    near.on(
      'data',
      late((chunk) => far.write(chunk)),
    )
    far.on('data', late(reply))

    function reply(chunk: Buffer): void {
      // Only the reply to a decision is an array. The replies while connecting are not.
      if (cutting === undefined || chunk[0] !== array) {
        near.write(chunk)
        return
      }
      const { afterBytes, done } = cutting
      cutting = undefined
      near.end(chunk.subarray(0, afterBytes))
      far.destroy()
      done()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()

  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    delay(ms) {
      delayMs = ms
    },
    cut(afterBytes) {
      return new Promise((done) => {
        cutting = { afterBytes, done }
      })
    },
    redirect(other) {
      target = other
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
