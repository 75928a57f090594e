import { fixedWindow, slidingLog, type Limiter, type Policies } from '../../../src/index.js'

/** A request of one of two processes, and the numbers of its answer. */
export type Ask = (limiter: Limiter) => Promise<readonly unknown[]>
export type Requests = readonly (readonly [process: 'A' | 'B', ask: Ask])[]

const limit = 2
const window: Policies = fixedWindow({ limit, window: '1h' })
const log: Policies = slidingLog({ limit, window: '1h' })
const pair: Policies = {
  user: fixedWindow({ limit, window: '1h' }),
  route: fixedWindow({ limit: 3, window: '1h' }),
}
/** The request that reaches a limit blocks its key. A blocked key also denies a cost of 0. */
const blocking: Policies = {
  user: fixedWindow({ limit, window: '1h', block: { for: '1h' } }),
  route: fixedWindow({ limit, window: '1h', block: { for: '1h' } }),
}

type Key = string | Record<string, string>

function consume(cost: number | Record<string, number>, key: Key = 'key'): Ask {
  return async (limiter) => {
    const { allowed, remaining } = await limiter.consume(key, { cost })
    return [allowed, remaining]
  }
}

const penalize: Ask = async (limiter) => {
  await limiter.penalize('key', 1)
  return []
}

const reset: Ask = async (limiter) => {
  await limiter.reset('key')
  return []
}

const ofOneKey: readonly (readonly [string, Requests])[] = [
  [
    'two of the whole limit',
    [
      ['A', consume(2)],
      ['B', consume(2)],
    ],
  ],
  [
    'three units for two',
    [
      ['A', consume(1)],
      ['B', consume(1)],
      ['B', consume(1)],
    ],
  ],
  [
    'one and two units',
    [
      ['A', consume(1)],
      ['B', consume(2)],
      ['A', consume(1)],
    ],
  ],
  [
    'a reset',
    [
      ['A', consume(2)],
      ['B', reset],
      ['A', consume(1)],
    ],
  ],
  [
    'a penalty',
    [
      ['A', penalize],
      ['B', consume(2)],
      ['B', consume(1)],
    ],
  ],
]

const ofPairs: Requests = [
  ['A', consume(2, { user: 'x', route: 'r' })],
  ['B', consume(2, { user: 'y', route: 'r' })],
  ['A', consume(1, { user: 'y', route: 's' })],
]

const both = { user: 'x', route: 'r' }

const ofRowsThatAreRead: Requests = [
  ['A', consume({ user: limit, route: 0 }, both)],
  ['B', consume({ user: 0, route: limit }, both)],
]

/** The first and the second request are about one group, by the key of the third. */
const ofChains: Requests = [
  ['A', consume(1, { user: 'x', route: 'r' })],
  ['A', consume(2, { user: 'y', route: 's' })],
  ['A', consume(2, { user: 'x', route: 's' })],
  ['B', consume(2, { user: 'y', route: 'r' })],
]

interface Case {
  readonly name: string
  readonly policies: Policies
  readonly requests: Requests
}

/** Requests of two processes that are made at the same time. */
export const cases: readonly Case[] = [
  ...ofOneKey.flatMap(([name, requests]) => [
    { name: `${name}, in a window`, policies: window, requests },
    { name: `${name}, in a log`, policies: log, requests },
  ]),
  { name: 'pairs of keys that overlap', policies: pair, requests: ofPairs },
  { name: 'rows that are only read', policies: blocking, requests: ofRowsThatAreRead },
  { name: 'a chain of keys', policies: pair, requests: ofChains },
]
