import { useRedis } from '@sluice/conformance/redis'
import { describe, expect, test } from 'vitest'
import { bytesInMemory } from '../src/guard/in-memory.js'
import { countsOverRedis } from '../src/guard/over-redis.js'
import { ours } from '../src/redis/contenders/sluice.js'

// The highest allowed cost of a decision. These are counts and not times, so they do not depend on the speed of the machine. Over Redis they
// are the measured values; in memory, where V8 matters, a little more. A change that lowers a cost also lowers its ceiling.
const columns = ['Sluice, fixedWindow', 'Sluice, slidingWindow', 'Sluice, gcra']
const ceilings: readonly (readonly [count: string, ...most: number[]])[] = [
  ['bytes of a key in Redis', 88, 104, 104],
  ['commands, alone', 1, 1, 1],
  ['bytes in, alone', 172, 157, 206],
  ['bytes out, alone', 44, 64, 58],
  // Several calls, so that Redis decides one of them while the client prepares the next.
  ['commands, one of 128', 3 / 128, 3 / 128, 3 / 128],
  ['bytes in, one of 128', 36, 35, 37],
  ['bytes out, one of 128', 25, 45, 39],
  ['bytes of a key in memory', 46, 82, 56],
  ['bytes allocated for a decision', 600, 600, 600],
]

const server = useRedis()

describe('a decision costs at most its ceiling', () => {
  test.each(ours)('on the network, in Redis and in memory: $name', async (contender) => {
    const { name } = contender
    const found = {
      ...(await countsOverRedis(server.client(), server.client(), contender)),
      ...(await bytesInMemory(name)),
    }
    expect(Object.keys(found)).toEqual(ceilings.map(([count]) => count))
    const over = ceilings.filter(
      ([count, ...most]) => !(found[count] <= most[columns.indexOf(name)]),
    )
    expect(over.map(([count]) => `${count}: ${found[count]}`)).toEqual([])
  })
})
