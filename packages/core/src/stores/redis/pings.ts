import { processTime } from '../../clock.js'

/** A ping that has no answer after so long counts no more: a client that never settles it must not keep Redis out of use. */
const forgottenAfterMs = 30_000

interface Ping {
  readonly sentAt: number
  readonly answer: Promise<boolean>
}

/**
 * Pings of which at most one per place is without an answer. A server that is silent answers a later ping no sooner than an earlier one, so
 * further ones would only make the client's queue longer. A place is a server as far as that is known: one, or some slots of a Cluster.
 */
export function createPings(
  places: number,
  send: (place: number) => Promise<boolean>,
): () => Promise<boolean> {
  const pings = new Map<number, Ping>()
  let last = 0

  function freePlace(now: number): number | undefined {
    for (let i = 1; i <= places; i++) {
      const place = (last + i) % places
      const ping = pings.get(place)
      if (ping === undefined || now - ping.sentAt >= forgottenAfterMs) return place
    }
    return undefined
  }

  async function forget(place: number, ping: Ping): Promise<void> {
    await ping.answer
    if (pings.get(place) === ping) pings.delete(place)
  }

  return function ping() {
    const sentAt = processTime.monotonic()
    const place = freePlace(sentAt)
    if (place === undefined) return Promise.race([...pings.values()].map(({ answer }) => answer))
    last = place
    const sent: Ping = { sentAt, answer: send(place) }
    pings.set(place, sent)
    void forget(place, sent)
    return sent.answer
  }
}
