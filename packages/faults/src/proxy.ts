import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Stands between a client and a server, and is as bad a network as it is told to be. */
export interface Proxy {
  readonly port: number
  /** From now on everything takes so long, each way. */
  delay(ms: number): void
  /** Cuts the next decision's reply off after so many bytes, and the connection with it. Resolves when that has happened. */
  cut(afterBytes: number): Promise<void>
  /** New connections lead to another server, as where an address is given to another machine. */
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

  /** Each chunk in its turn, also where one that came later is due earlier. */
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
      // A decision is answered by an array; what is said while connecting is not.
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
