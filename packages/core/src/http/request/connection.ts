/** The socket of an HTTP/1 request. */
export interface Connection {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

interface Listener {
  readonly callbacks: Set<() => void>
  close(): void
}

const listeners = new WeakMap<Connection, Listener>()

/**
 * Calls back when a connection closes, and returns a function that cancels this. All callbacks share one listener: a client may pipeline any number of
 * requests, and Node warns about more than ten listeners.
 */
export function whenClosed(connection: Connection, callback: () => void): () => void {
  const { callbacks, close } = listeners.get(connection) ?? listen(connection)
  callbacks.add(callback)
  return function cancel() {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    connection.off('close', close)
    listeners.delete(connection)
  }
}

function listen(connection: Connection): Listener {
  const callbacks = new Set<() => void>()
  function close(): void {
    for (const callback of callbacks) callback()
  }
  const listener = { callbacks, close }
  listeners.set(connection, listener)
  connection.once('close', close)
  return listener
}
