import { randomUUID } from 'node:crypto'
import {
  hundred,
  keyName,
  limit,
  once,
  ten,
  tenths,
  twoWindows,
  windowMs,
  type Contender,
} from './contender.js'
import { script } from './script.js'

// The methods of articles and libraries: the time of the application, one script call, and an answer of yes or no with the remaining units.
// They return no wait, and do not handle the cases that textbooks leave out.

/** The least cost of counting: two commands in one packet, and no decision. */
export const floor: Contender = {
  name: '`INCR` + `PEXPIRE`',
  fill: once,
  sends: ['incr', 'pexpire'],
  async open(client, name) {
    async function decide(key: string): Promise<boolean> {
      const full = keyName(name, key)
      const [counted] = (await client.pipeline().incr(full).pexpire(full, windowMs).exec()) ?? []
      return Number(counted?.[1]) <= limit
    }
    return { decide }
  },
}

export const fixed: Contender = script({
  name: 'script of `INCR`, `PEXPIRE`',
  fill: once,
  keys: (full) => [full],
  args: () => [limit, windowMs],
  lua: `
    local count = redis.call('INCR', KEYS[1])
    if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
    local limit = tonumber(ARGV[1])
    return { count <= limit and 1 or 0, math.max(0, limit - count) }`,
})

/** The commands that no script can avoid if it counts by the time of the server and keeps a state of its own format. */
export const clockAndState: Contender = script({
  name: 'script of `TIME`, `GET`, `SET PX`',
  fill: once,
  keys: (full) => [full],
  args: () => [windowMs],
  lua: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local state = redis.call('GET', KEYS[1])
    redis.call('SET', KEYS[1], state or 'abcdefghi', 'PX', ARGV[1])
    return { 1, now }`,
})

export const twoCounters: Contender = script({
  name: 'two counters',
  fill: twoWindows,
  keys: (full, now) => {
    const current = Math.floor(now / windowMs)
    return [`${full}:${current}`, `${full}:${current - 1}`]
  },
  args: (now) => [limit, windowMs, now],
  lua: `
    local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    local current = tonumber(redis.call('GET', KEYS[1]) or 0)
    local previous = tonumber(redis.call('GET', KEYS[2]) or 0)
    local used = previous * (window - now % window) / window + current
    if used + 1 > limit then return { 0, 0 } end
    if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], 2 * window) end
    return { 1, math.floor(limit - used - 1) }`,
})

export const buckets: Contender = script({
  name: 'hash of 10 buckets',
  fill: tenths,
  keys: (full) => [full],
  args: (now) => [limit, windowMs, 10, now],
  lua: `
    local limit, window, buckets, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
    local current = math.floor(now / (window / buckets))
    local used = 0
    local found = redis.call('HGETALL', KEYS[1])
    for i = 1, #found, 2 do
      if tonumber(found[i]) <= current - buckets then
        redis.call('HDEL', KEYS[1], found[i])
      else
        used = used + tonumber(found[i + 1])
      end
    end
    if used >= limit then return { 0, 0 } end
    redis.call('HINCRBY', KEYS[1], current, 1)
    redis.call('PEXPIRE', KEYS[1], window)
    return { 1, limit - used - 1 }`,
})

export const log: Contender = script({
  name: 'sorted-set log',
  fill: hundred,
  keys: (full) => [full],
  args: (now) => [2 * limit, windowMs, now, randomUUID()],
  lua: `
    local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
    local used = redis.call('ZCARD', KEYS[1])
    if used >= limit then return { 0, 0 } end
    redis.call('ZADD', KEYS[1], now, ARGV[4])
    redis.call('PEXPIRE', KEYS[1], window)
    return { 1, limit - used - 1 }`,
})

export const hash: Contender = script({
  name: 'hash of tokens and time',
  fill: once,
  keys: (full) => [full],
  args: (now) => [limit, limit / windowMs, now],
  lua: `
    local capacity, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'timestamp')
    local tokens = tonumber(bucket[1]) or capacity
    local last = tonumber(bucket[2]) or now
    tokens = math.min(capacity, tokens + math.max(0, now - last) * rate)
    local allowed = tokens >= 1
    if allowed then tokens = tokens - 1 end
    redis.call('HMSET', KEYS[1], 'tokens', tokens, 'timestamp', now)
    redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate))
    return { allowed and 1 or 0, math.floor(tokens) }`,
})

export const leases: Contender = script({
  name: 'sorted set of leases',
  fill: ten,
  keys: (full) => [full],
  args: (now) => [limit, windowMs, now, randomUUID()],
  lua: `
    local limit, lease, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now)
    local held = redis.call('ZCARD', KEYS[1])
    if held >= limit then return { 0, 0 } end
    redis.call('ZADD', KEYS[1], now + lease, ARGV[4])
    redis.call('PEXPIRE', KEYS[1], lease)
    return { 1, limit - held - 1 }`,
  release: (client, full) => client.zpopmax(full),
})
