/**
 * How a contender is measured: alone in a new process, in a process that has used all other parts of the library before, with a subscriber that
 * counts the decisions, or with three policies in one limiter.
 */
export type Variant = (typeof variants)[number]

export const variants = ['alone', 'after mixed use', 'with a subscriber', 'three policies'] as const

export function isVariant(value: string | undefined): value is Variant {
  return variants.some((variant) => variant === value)
}
