import { randomFrom } from '@sluice/test-kit/random'

/** Requests of one client under one limit. */
export interface Traffic {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  /** The times of the requests, in milliseconds after a whole minute, in order. */
  readonly arrivals: readonly number[]
}

const second = 1000
const minute = 60_000

/** Each kind begins at its own moment within the minute, because this matters for windows on the clock. */
export const bursty: readonly Traffic[] = [
  perMinute('100 within a second, every 70 s', 100, bursts(60, 100, steps(1, 70 * second), second)),
  perMinute(
    '20 within a second, every 65 s ± 6.5 s',
    20,
    bursts(300, 20, steps(2, 65 * second, 0.1), second),
  ),
  {
    name: '10 at once, every 1.1 s',
    limit: 10,
    windowMs: second,
    arrivals: bursts(300, 10, steps(3, 1.1 * second)),
  },
  perMinute('1 to 20 at once, every 20 s on average', 40, pages(4, 500, 20, 20 * second)),
]

export const steady: readonly Traffic[] = [
  perMinute('one, every 61 s ± 5 s', 1, bursts(2000, 1, steps(5, 61 * second, 5 / 61))),
  perMinute('evenly, 95 a minute', 100, bursts(4000, 1, steps(6, minute / 95))),
  perMinute('at random, 80 a minute', 100, bursts(5000, 1, atRandom(7, minute / 80))),
  perMinute('at random, 300 a minute', 100, bursts(6000, 1, atRandom(8, minute / 300))),
]

export const adversarial: readonly Traffic[] = [
  perMinute('every 100 ms, without a pause', 100, evenly(0, 6000, 100)),
  perMinute('one, 99 at the end of the window, then every 10 ms', 100, [
    0,
    ...Array<number>(99).fill(minute - 1),
    ...evenly(minute, 12_000, 10),
  ]),
]

function perMinute(name: string, limit: number, arrivals: readonly number[]): Traffic {
  return { name, limit, windowMs: minute, arrivals }
}

/** A number of requests at each of several moments: at once, or evenly within some milliseconds. */
function bursts(count: number, size: number, next: () => number, withinMs = 0): number[] {
  return Array.from({ length: count }, next).flatMap((at) =>
    evenly(at, size, Math.floor(withinMs / size)),
  )
}

/** Moments at this distance, with a random deviation of up to a share of it. */
function steps(seed: number, everyMs: number, jitter = 0): () => number {
  const random = randomFrom(seed)
  let at = random() * minute
  return () => {
    at += everyMs * (1 + jitter * (2 * random() - 1))
    return Math.round(at)
  }
}

/** Moments of a Poisson process. */
function atRandom(seed: number, meanMs: number): () => number {
  const random = randomFrom(seed)
  let at = random() * minute
  return () => {
    at -= meanMs * Math.log(1 - random())
    return Math.round(at)
  }
}

function pages(seed: number, count: number, most: number, meanMs: number): number[] {
  const random = randomFrom(-seed)
  const next = atRandom(seed, meanMs)
  return Array.from({ length: count }, next).flatMap((at) =>
    Array<number>(1 + Math.floor(random() * most)).fill(at),
  )
}

function evenly(from: number, count: number, everyMs: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i * everyMs)
}
