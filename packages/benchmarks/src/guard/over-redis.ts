import type { Redis } from 'ioredis'
import { freshKeys } from '../memory/keys.js'
import type { Contender } from '../redis/contenders/contender.js'
import { bytesPerKey } from '../redis/memory-usage.js'
import { costOf } from '../redis-usage.js'

const rounds = 10
const together = 128

/** The commands and bytes of a decision over Redis, which are the same on every machine. The server must be empty, and is emptied at the end. */
export async function countsOverRedis(
  admin: Redis,
  client: Redis,
  contender: Contender,
): Promise<Readonly<Record<string, number>>> {
  const { own } = await bytesPerKey(admin, client, contender)
  const decide = await contender.open(client)
  const keys = freshKeys(rounds * together).of(Array(rounds * together).keys())
  // The first call of a process sends the whole script.
  await decide('first')
  const single = await costOf(admin, rounds, async () => {
    for (const key of keys.slice(0, rounds)) await decide(key)
  })
  const batched = await costOf(admin, keys.length, async () => {
    for (let from = 0; from < keys.length; from += together) {
      await Promise.all(keys.slice(from, from + together).map(decide))
    }
  })
  await admin.flushall()
  return {
    'bytes of a key in Redis': own,
    'commands of a decision': single['commands'],
    'bytes to Redis for a decision': single['bytesIn'],
    'bytes from Redis for a decision': single['bytesOut'],
    'commands of one of 128 decisions': batched['commands'],
    'bytes to Redis for one of 128 decisions': batched['bytesIn'],
    'bytes from Redis for one of 128 decisions': batched['bytesOut'],
  }
}
