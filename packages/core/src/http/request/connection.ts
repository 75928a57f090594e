/** What lies under the requests of HTTP/1. */
export interface Connection {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

interface Listening {
  readonly told: Set<() => void>
  close(): void
}

const listening = new WeakMap<Connection, Listening>()

/**
 * Calls back when a connection closes. What it returns calls that off. All share one listener: a client may send as many requests ahead as it
 * likes, and Node warns of the eleventh.
 */
export function whenClosed(connection: Connection, then: () => void): () => void {
  const { told, close } = listening.get(connection) ?? listen(connection)
  told.add(then)
  return function callOff() {
    told.delete(then)
    if (told.size > 0) return
    connection.off('close', close)
    listening.delete(connection)
  }
}

function listen(connection: Connection): Listening {
  const told = new Set<() => void>()
  function close(): void {
    for (const tell of told) tell()
  }
  const listens = { told, close }
  listening.set(connection, listens)
  connection.once('close', close)
  return listens
}
