import { keyName, limit, once, windowMs, type Contender } from './contender.js'

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

/** The commands that no script can avoid if it counts by the time of the server and keeps a state of its own format. */
export const clockAndState: Contender = {
  name: 'script of `TIME`, `GET`, `SET PX`',
  fill: once,
  sends: ['evalsha'],
  async open(client, name) {
    const digest = String(await client.script('LOAD', script))
    return {
      async decide(key) {
        await client.evalsha(digest, 1, keyName(name, key), windowMs)
        return true
      },
    }
  },
}

const script = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local state = redis.call('GET', KEYS[1])
  redis.call('SET', KEYS[1], state or 'abcdefghi', 'PX', ARGV[1])
  return { 1, now }`
