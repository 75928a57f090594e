import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Algorithm, Duration, Limiter, Policies } from '@sluice/core'
import { isRecord } from '@sluice/core/internal'

/** A limiter that a module exports, or the options of one. */
export type ExportedLimiter =
  | { readonly name: string; readonly limiter: Limiter }
  | { readonly name: string; readonly options: ExportedOptions }

/** The options that say what a limiter counts. Other options, such as `store` or `key`, have no effect here. `createLimiter` checks the values. */
export type ExportedOptions =
  | { readonly name: string; readonly policies: Policies }
  | {
      readonly name: string
      readonly limit: number
      readonly window: Duration
      readonly algorithm?: Algorithm
    }

/**
 * Imports a module and finds its limiters: exports, or members of exported records and lists, that are a limiter, have a `limiter` (a middleware, a limited
 * function), or are options with a `name`.
 *
 * @throws Error if the module cannot be imported, or exports no limiter
 */
export async function readLimitersFile(file: string): Promise<readonly ExportedLimiter[]> {
  const exported = await imported(file)
  const found = new Map<string, ExportedLimiter>()
  for (const value of Object.values(exported).flatMap(candidatesOf)) {
    const one = limiterIn(value)
    if (one === undefined) continue
    const known = found.get(one.name)
    if (known !== undefined && !isSame(known, one)) {
      throw new Error(`${file} exports two limiters with the name "${one.name}"`)
    }
    found.set(one.name, one)
  }
  if (found.size > 0) return [...found.values()]
  throw new Error(
    `${file} exports no limiter. Export the options of each limiter: export const api = { name: 'api', limit: 100, window: '1m' }`,
  )
}

async function imported(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const exported: unknown = await import(pathToFileURL(resolve(file)).href)
    return isRecord(exported) ? exported : {}
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    const said = message.replace(/ imported from \S+$/, '')
    const hint = /\.[mc]?tsx?$/.test(file)
      ? '\nThis Node.js may not read TypeScript: name the compiled file, or use Node.js 22.18 or later.'
      : ''
    throw new Error(`${file} cannot be imported: ${said}${hint}`, { cause: error })
  }
}

/** The value itself and, of a record or a list, its members. */
function candidatesOf(value: unknown): readonly unknown[] {
  if (limiterIn(value) !== undefined) return [value]
  if (Array.isArray(value)) return value
  return isRecord(value) ? Object.values(value) : []
}

function limiterIn(value: unknown): ExportedLimiter | undefined {
  if (isLimiter(value)) return { name: value.name, limiter: value }
  if (isHolder(value)) return { name: value.limiter.name, limiter: value.limiter }
  if (isOptions(value)) return { name: value.name, options: value }
  return undefined
}

/** Checks the shape only, because a limiter may come from any copy of its package. */
function isLimiter(value: unknown): value is Limiter {
  return (
    isRecord(value) &&
    ['consume', 'status', 'block', 'reset'].every((name) => isMethod(value, name)) &&
    typeof value['name'] === 'string'
  )
}

function isMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

function isHolder(value: unknown): value is { readonly limiter: Limiter } {
  const mayHold = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return mayHold && 'limiter' in value && isLimiter(value.limiter)
}

function isOptions(value: unknown): value is ExportedOptions {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    ['policies', 'limit', 'window'].some((name) => value[name] !== undefined)
  )
}

function isSame(one: ExportedLimiter, other: ExportedLimiter): boolean {
  const contentOf = (found: ExportedLimiter): unknown =>
    'limiter' in found ? found.limiter : found.options
  return contentOf(one) === contentOf(other)
}
