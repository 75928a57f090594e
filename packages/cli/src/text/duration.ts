const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** Formats a duration in its two largest units: `1m 30s`. A duration of less than a second is in milliseconds. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return 'for ever'
  const largest = units.findIndex(([, length]) => ms >= length)
  if (largest === -1) return `${Math.ceil(ms)}ms`
  const [unit, length] = units[largest]
  const whole = Math.floor(ms / length)
  const rest = ms - whole * length
  if (largest === units.length - 1) return `${Math.round(ms / 100) / 10}s`
  const [smaller, smallerLength] = units[largest + 1]
  const more = Math.floor(rest / smallerLength)
  return more === 0 ? `${whole}${unit}` : `${whole}${unit} ${more}${smaller}`
}

/** Formats the window of a policy, without loss: 60000 is `1m`, and 90000 is `90s`. */
export function windowText(ms: number): string {
  const unit = units.find(([, length]) => ms >= length && ms % length === 0)
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`
}
