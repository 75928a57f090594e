import { calendarWindowLua } from './calendar-window/script.js'
import { concurrencyLua } from './concurrency/script.js'
import { fixedWindowLua } from './fixed-window/script.js'
import { gcraLua } from './gcra/script.js'
import type { AlgorithmId } from './ids.js'
import { leakyQueueLua } from './leaky-queue/script.js'
import { functionsOf, type PlainLua } from './plain-lua.js'
import { slidingLogLua } from './sliding-log/script.js'
import { slidingWindowLua } from './sliding-window/script.js'
import { spreadLua } from './sliding-window/spread-script.js'
import { stagesOf } from './staged/ids.js'
import { stagedLua } from './staged/script.js'
import { unlimitedLua } from './unlimited/script.js'

// The Lua steps by the ids of the algorithms. They are not a part of the steps, so that a bundled program without the Redis store contains none.
const plain: Readonly<Record<number, (() => PlainLua) | undefined>> = {
  1: fixedWindowLua,
  3: gcraLua,
  9: spreadLua,
}
const others: Readonly<Record<number, () => string>> = {
  2: slidingWindowLua,
  4: leakyQueueLua,
  5: unlimitedLua,
  6: calendarWindowLua,
  7: slidingLogLua,
  8: concurrencyLua,
  128: slidingWindowLua,
} satisfies Record<AlgorithmId, () => string>

/** The steps and `ends` of an algorithm in Lua: an expression that evaluates to a table of these functions. */
export function luaOf(id: number): string {
  const own = plainLuaOf(id)
  if (own !== undefined) return functionsOf(own)
  const stages = stagesOf(id)
  if (stages === undefined) return others[id]().trim()
  const [free, then] = stages
  return stagedLua(luaOf(free), luaOf(then)).trim()
}

/** The steps of an algorithm that a script can use over locals. */
export function plainLuaOf(id: number): PlainLua | undefined {
  return plain[id]?.()
}
