import type { RateLimitOptions } from './options.js'
import { decidedByRules } from './stated-options.js'

/**
 * Merges the options of a route over those of the application. The name is not inherited, because the limit of a route has its own counts. An option
 * is not inherited either if the route has one that excludes it: "policies" of the route replaces "limit" and "window" of the application.
 */
export function inherit<R, H>(
  base: RateLimitOptions<R, H>,
  own: RateLimitOptions<R, H>,
): RateLimitOptions<R, H> {
  const kept: { -readonly [K in keyof RateLimitOptions<R, H>]: RateLimitOptions<R, H>[K] } = {
    ...base,
  }
  delete kept.name
  for (const [mine, theirs] of exclusive) {
    if (mine.some((option) => own[option] !== undefined)) {
      for (const option of theirs) delete kept[option]
    }
  }
  return { ...kept, ...defined(own) }
}

/** Drops options that are undefined, because they count as absent and must not override inherited ones. */
function defined<T extends object>(options: T): Partial<T> {
  const kept: Partial<T> = { ...options }
  for (const option in kept) {
    if (kept[option] === undefined) delete kept[option]
  }
  return kept
}

type OptionName = keyof RateLimitOptions<unknown, unknown>

const short: readonly OptionName[] = ['limit', 'window', 'algorithm']
const response: readonly OptionName[] = ['statusCode', 'body']

const exclusive: readonly (readonly [readonly OptionName[], readonly OptionName[]])[] = [
  [short, ['policies']],
  [['policies'], short],
  // Only a limit of the route replaces inherited rules. Any other option that rules decide is an error beside them.
  [['limit', 'policies'], ['rules']],
  [['rules'], decidedByRules],
  [response, ['onDenied']],
  [['onDenied'], response],
]
