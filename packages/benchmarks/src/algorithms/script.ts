import type { Redis } from 'ioredis'
import { keyName, type Contender } from './contender.js'

export interface Script extends Pick<Contender, 'name' | 'fill'> {
  keys(full: string, now: number): readonly string[]
  args(now: number): readonly (string | number)[]
  /** Returns { 1, remaining } or { 0, remaining }. */
  readonly lua: string
  /** Removes the newest lease. Absent if nothing must be released. */
  release?(client: Redis, full: string): Promise<unknown>
}

/** A contender with its own script that uses the time of the application. */
export function script({ name, fill, keys, args, lua, release }: Script): Contender {
  return {
    name,
    fill,
    sends: ['evalsha'],
    async open(client, name) {
      const digest = String(await client.script('LOAD', lua))
      const leased: string[] = []

      async function decide(key: string, now?: number): Promise<boolean> {
        const full = keyName(name, key)
        const at = now ?? Date.now()
        const names = keys(full, at)
        const reply = await client.evalsha(digest, names.length, ...names, ...args(at))
        if (now === undefined && release !== undefined) leased.push(full)
        return Array.isArray(reply) && reply[0] === 1
      }

      async function releaseAll(): Promise<void> {
        await Promise.all(leased.splice(0).map(async (full) => release?.(client, full)))
      }

      return { decide, release: releaseAll }
    },
  }
}
