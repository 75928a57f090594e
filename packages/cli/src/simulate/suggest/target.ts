/** The largest share that a suggested limit denies. */
export interface Target {
  /** A share of the requests, or of the keys. */
  readonly of: 'requests' | 'keys'
  readonly share: number
}

/**
 * Reads `requests<=0.1%` or `keys<=1%`.
 *
 * @throws Error if the text is neither
 */
export function targetOf(text: string): Target {
  const match = /^\s*(requests|keys)\s*<=\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text)
  const share = match === null ? Number.NaN : Number(match[2]) / (match[3] === '%' ? 100 : 1)
  if (match === null || !(share >= 0 && share < 1)) {
    throw new Error(`--suggest ${text}: expected requests<=0.1% or keys<=1%`)
  }
  return { of: match[1] === 'keys' ? 'keys' : 'requests', share }
}

/** The denials of one limit. */
export interface Effect {
  readonly asked: number
  readonly denied: number
  readonly keys: number
  readonly keysDenied: number
}

export function isWithin({ of, share }: Target, effect: Effect): boolean {
  return of === 'keys'
    ? effect.keysDenied <= share * effect.keys
    : effect.denied <= share * effect.asked
}
