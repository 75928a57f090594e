import { calendarWindowLua } from './calendar-window/step.js'
import { concurrencyLua } from './concurrency/script.js'
import { fixedWindowLua } from './fixed-window/step.js'
import { gcraLua } from './gcra/script.js'
import { stagesOf, type AlgorithmId } from './ids.js'
import { leakyQueueLua } from './leaky-queue/step.js'
import { functionsOf, type PlainLua } from './plain-lua.js'
import { slidingLogLua } from './sliding-log/script.js'
import { slidingWindowLua } from './sliding-window/step.js'
import { spreadLua } from './sliding-window/spread.js'
import { stagedLua } from './staged/script.js'
import { unlimitedLua } from './unlimited/index.js'

/**
 * The Lua steps by the ids of the algorithms, plain ones if a script can use them over locals. They are not a part of the steps, so that a bundled program
 * without the Redis store contains none.
 */
const scripts: Readonly<Record<number, (() => string | PlainLua) | undefined>> = {
  1: fixedWindowLua,
  2: slidingWindowLua,
  3: gcraLua,
  4: leakyQueueLua,
  5: unlimitedLua,
  6: calendarWindowLua,
  7: slidingLogLua,
  8: concurrencyLua,
  9: spreadLua,
  128: slidingWindowLua,
} satisfies Record<AlgorithmId, () => string | PlainLua>

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
