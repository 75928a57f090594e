/** Whole seconds, rounded up: a client that waits so long has waited long enough. */
export function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}
