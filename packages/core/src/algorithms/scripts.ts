import { bucketedWindowLua } from './bucketed-window/script.js'
import { calendarWindowLua } from './calendar-window/script.js'
import { concurrencyLua } from './concurrency/script.js'
import { fixedWindowLua } from './fixed-window/script.js'
import { gcraLua } from './gcra/script.js'
import { leakyQueueLua } from './leaky-queue/script.js'
import { functionsOf, type PlainLua } from './plain-lua.js'
import { slidingLogLua } from './sliding-log/script.js'
import { slidingWindowLua } from './sliding-window/script.js'
import { stagesOf } from './staged/steps.js'
import { stagedLua } from './staged/script.js'

/**
 * The Lua steps by the ids of the algorithms, plain ones if a script can use them over locals. Only the Redis store imports them.
 *
 * A new algorithm takes the next free id from 10, or from 129 if the number of its cells depends on the policy. 5 is that of `unlimited`, which has no state,
 * 122 to 127 are states in databases that belong to no algorithm, and from 256 an id is a pair of two others.
 */
const scripts: Readonly<Record<number, (() => string | PlainLua) | undefined>> = {
  1: fixedWindowLua,
  3: gcraLua,
  4: leakyQueueLua,
  6: calendarWindowLua,
  7: slidingLogLua,
  8: concurrencyLua,
  9: slidingWindowLua,
  128: bucketedWindowLua,
}

/** The steps and `ends` of an algorithm in Lua: an expression that evaluates to a table of these functions. */
export function luaOf(id: number): string {
  const stages = stagesOf(id)
  if (stages !== undefined) return stagedLua(luaOf(stages[0]), luaOf(stages[1])).trim()
  const script = scripts[id]?.()
  if (script === undefined) throw new Error(`Algorithm ${id} has no script.`)
  return typeof script === 'string' ? script.trim() : functionsOf(script)
}

/** The steps of an algorithm that a script can use over locals. */
export function plainLuaOf(id: number): PlainLua | undefined {
  const script = scripts[id]?.()
  return typeof script === 'string' ? undefined : script
}
