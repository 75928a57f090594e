import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { fixedWindow } from '../../../src/index.js'
import { PendingRequest } from '../../../src/stores/queue/pending.js'
import { batchesOf, type Batching } from '../../../src/stores/queue/batching.js'
import { asking } from '../pipeline/stub-store.js'

const ask = asking(fixedWindow({ limit: 5, window: '1h' }))

/** A request about some keys. */
function requestOf(keys: readonly string[], target = 'a'): PendingRequest {
  const pending = new PendingRequest(ask('consume', { keys: [target] }), () => {})
  pending.keys = keys
  return pending
}

const inOrder: Batching<string | undefined> = {
  targetOf: ({ keys: [target] }) => (target === 'alone' ? undefined : target),
  keysOf: ({ keys }) => keys,
  weightOf: () => 1,
  mostRequests: 100,
  mostWeight: 6,
  share: 1 / 2,
  fewestRequests: 1,
  mostBatches: undefined,
}

const inTurns: Batching<string | undefined> = {
  ...inOrder,
  weightOf: (_, newKeys) => newKeys,
  mostBatches: 4,
}

const nobody = (): boolean => false
const letters = (text: string): string[] => text.split('')

/** The keys of the requests of each batch, and of those that wait. */
function shown({ ready, waiting }: ReturnType<typeof batchesOf>): unknown {
  const textOf = ({ keys }: PendingRequest): string => keys.join('')
  return [ready.map(({ pending }) => pending.map(textOf).join(' ')), waiting.map(textOf).join(' ')]
}

describe('batches in order', () => {
  test('have at most so many requests, and at most so much weight', () => {
    const requests = letters('abcdefghijklm').map((key) => requestOf([key]))
    expect(shown(batchesOf(inOrder, requests, 5, nobody))).toEqual([
      ['a b c d e', 'f g h i j', 'k l m'],
      '',
    ])
    expect(shown(batchesOf(inOrder, requests, 100, nobody))).toEqual([
      ['a b c d e f', 'g h i j k l', 'm'],
      '',
    ])
  })

  test('of other targets are sent before a later request about one of their keys', () => {
    const requests = [
      requestOf(['x'], 'a'),
      requestOf(['y'], 'b'),
      requestOf(['z'], 'a'),
      requestOf(['y'], 'a'),
      requestOf(['v'], 'b'),
    ]
    expect(shown(batchesOf(inOrder, requests, 100, nobody))).toEqual([['y', 'x z y', 'v'], ''])
  })

  test('a request without a target is sent alone', () => {
    const requests = [requestOf(['x']), requestOf(['y'], 'alone'), requestOf(['z'], 'alone')]
    expect(shown(batchesOf(inOrder, requests, 100, nobody))).toEqual([['y', 'z', 'x'], ''])
  })
})

describe('a batch in turns', () => {
  test('is one, has keys that are not under way, and is joined by requests about its keys only', () => {
    const keys = ['a', 'busy', 'bc', 'cb', 'd', 'a', 'de', 'e', 'd', 'b']
    const requests = keys.map((key) => requestOf(key === 'busy' ? ['busy'] : letters(key)))
    const batches = batchesOf({ ...inTurns, mostWeight: 3 }, requests, 100, (key) => key === 'busy')
    expect(shown(batches)).toEqual([['a bc cb a b'], 'busy d de e d'])
  })

  test('is joined by any number of requests about one key', () => {
    const requests = Array.from({ length: 30 }, () => requestOf(['hot', 'hot']))
    const { ready, waiting } = batchesOf(inTurns, requests, 3, nobody)
    expect([ready[0].pending.length, ready[0].weight, waiting.length]).toEqual([30, 1, 0])
  })

  test('has a first request of any weight, which later ones about its keys do not overtake', () => {
    const wide = letters('abcdefgh')
    const requests = [requestOf(wide), requestOf(['a']), requestOf(['i']), requestOf(['i', 'a'])]
    expect(shown(batchesOf(inTurns, requests, 100, nobody))).toEqual([['abcdefgh a'], 'i ia'])
  })

  test('a request that waits holds back later ones about its keys', () => {
    const requests = [['a'], ['a', 'busy'], ['a'], ['b']].map((keys) => requestOf(keys))
    const batches = batchesOf(inTurns, requests, 100, (key) => key === 'busy')
    expect(shown(batches)).toEqual([['a b'], 'abusy a'])
  })
})

const keys = fc.uniqueArray(fc.constantFrom(...letters('abcdef')), { minLength: 1, maxLength: 3 })
const requests = fc.array(fc.tuple(keys, fc.constantFrom('a', 'b', 'c', 'alone')), {
  maxLength: 40,
})

test.each([
  ['in order', inOrder],
  ['in turns', { ...inTurns, targetOf: () => 'one' }],
])(
  '%s, each request is in one place, and requests about one key keep their order',
  (_, batching) => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 8 }), (asked, most) => {
        const all = asked.map(([about, target]) => requestOf(about, target))
        const { ready, waiting } = batchesOf(batching, all, most, (key) => key === 'f')
        const placed = [...ready.flatMap(({ pending }) => pending), ...waiting]
        expect(new Set(placed)).toEqual(new Set(all))
        expect(placed).toHaveLength(all.length)
        for (const key of letters('abcdef')) {
          const isAbout = (pending: PendingRequest): boolean => pending.keys.includes(key)
          expect(placed.filter(isAbout)).toEqual(all.filter(isAbout))
        }
      }),
      { numRuns: runs(300) },
    )
  },
)
