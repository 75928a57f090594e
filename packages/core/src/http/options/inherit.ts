import type { RateLimitOptions } from './options.js'

/**
 * The options of one route's limiter, where an application has stated some for all of its routes. The name is not inherited: a limit of
 * one's own is counted by itself. Nor is what the route says in another way: its "policy" takes the place of "limit" and "window".
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
  return { ...kept, ...stated(own) }
}

/** Without the options that are undefined: these are as good as absent, and take the place of none. */
function stated<T extends object>(options: T): Partial<T> {
  const kept: Partial<T> = { ...options }
  for (const option in kept) {
    if (kept[option] === undefined) delete kept[option]
  }
  return kept
}

type OptionName = keyof RateLimitOptions<unknown, unknown>

const short: readonly OptionName[] = ['limit', 'window', 'algorithm']
const whole: readonly OptionName[] = ['policy', 'policies']
const answer: readonly OptionName[] = ['statusCode', 'body']

const exclusive: readonly (readonly [readonly OptionName[], readonly OptionName[]])[] = [
  [short, whole],
  [whole, [...short, ...whole]],
  [answer, ['onDenied']],
  [['onDenied'], answer],
]
