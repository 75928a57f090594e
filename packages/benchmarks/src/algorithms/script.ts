import type { Redis } from 'ioredis'
import { keyName, type Contender } from './contender.js'

export interface Script extends Pick<Contender, 'name' | 'fill'> {
  keys(full: string, now: number): readonly string[]
  args(now: number): readonly (string | number)[]
  /** Answers { 1, what remains } or { 0, what remains }. */
  readonly lua: string
  /** Takes back the newest admission, where it would not end by itself. */
  release?(client: Redis, full: string): Promise<unknown>
}

/** A contender that decides in a script of its own, by the application's time. */
export function script({ name, fill, keys, args, lua, release }: Script): Contender {
  return {
    name,
    fill,
    sends: ['evalsha'],
    async open(client, name) {
      const digest = String(await client.script('LOAD', lua))
      const held: string[] = []

      async function decide(key: string, now?: number): Promise<boolean> {
        const full = keyName(name, key)
        const at = now ?? Date.now()
        const names = keys(full, at)
        const reply = await client.evalsha(digest, names.length, ...names, ...args(at))
        if (now === undefined && release !== undefined) held.push(full)
        return Array.isArray(reply) && reply[0] === 1
      }

      async function releaseAll(): Promise<void> {
        await Promise.all(held.splice(0).map(async (full) => release?.(client, full)))
      }

      return { decide, release: releaseAll }
    },
  }
}
