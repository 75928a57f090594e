/** The numbers of a decision that no policy limits. */
export const unlimitedNumbers = {
  allowed: true,
  limit: Infinity,
  remaining: Infinity,
  retryAfterMs: 0,
  resetMs: 0,
  delayMs: 0,
}
