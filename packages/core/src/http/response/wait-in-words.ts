const units = [
  ['year', 31_557_600],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * A number of whole seconds in the largest unit that fits at least twice, or exactly once: 60 seconds are 1 minute, but 119 seconds are not 2 minutes.
 * The number is rounded up, so that a client does not retry too early.
 */
export function waitInWords(wait: number): string {
  for (const [i, [unit, length]] of units.entries()) {
    // In the next smaller unit, 3599 seconds would be rounded to 60 minutes, and a year to 366 days.
    const missing = units[i + 1]?.[1] ?? 1
    const isOnce = wait > length - missing && wait <= length
    if (isOnce || wait > 2 * length - missing) return counted(Math.ceil(wait / length), unit)
  }
  return counted(wait, 'second')
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
