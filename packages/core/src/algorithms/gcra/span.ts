/**
 * How long all units take to become available again, in two bytes: the leading digits, and the number of zeros after them. Usual durations
 * such as '10s' or '7d' are exact; others are rounded up. With its span, a state can be converted to a policy with another span.
 */
export function spanOf(units: number, refill: number, every: number): number {
  let length = Math.ceil((units * every) / refill)
  let places = 0
  for (; length >= 8192; places++) length = Math.ceil(length / 10)
  return places * 8192 + length
}

/** Every span is smaller: it takes 17 bits of a cell and leaves 36 for another number. */
export const spans: number = 2 ** 17

/** The milliseconds that a span represents. */
export function lengthOf(span: number): number {
  return (span % 8192) * 10 ** Math.floor(span / 8192)
}
