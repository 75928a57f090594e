/** Whole seconds, rounded up, so that a client does not retry too early. */
export function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}
