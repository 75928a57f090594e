import { processTime } from '../../clock.js'

/** A ping without an answer is forgotten after this time: a client that never settles it must not prevent recovery. */
const forgottenAfterMs = 30_000

interface Ping {
  readonly sentAt: number
  readonly answer: Promise<boolean>
}

/**
 * Sends pings, with at most one pending ping per target. A server that does not answer one ping will not answer the next any sooner, so more
 * pings would only fill the client's queue. A target is the single server, or one of several keys that are spread over the slots of a Cluster.
 */
export function createPings(
  targets: number,
  send: (target: number) => Promise<boolean>,
): () => Promise<boolean> {
  const pings = new Map<number, Ping>()
  let last = 0

  function freeTarget(now: number): number | undefined {
    for (let i = 1; i <= targets; i++) {
      const target = (last + i) % targets
      const ping = pings.get(target)
      if (ping === undefined || now - ping.sentAt >= forgottenAfterMs) return target
    }
    return undefined
  }

  async function forget(target: number, ping: Ping): Promise<void> {
    await ping.answer
    if (pings.get(target) === ping) pings.delete(target)
  }

  return function ping() {
    const sentAt = processTime.monotonic()
    const target = freeTarget(sentAt)
    if (target === undefined) return Promise.race([...pings.values()].map(({ answer }) => answer))
    last = target
    const sent: Ping = { sentAt, answer: send(target) }
    pings.set(target, sent)
    void forget(target, sent)
    return sent.answer
  }
}
