const units = [
  ['year', 31_557_600],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * A number of whole seconds in the largest unit that fits at least twice, or exactly once: 119 seconds are not 2 minutes, and 60 seconds are
 * 1 minute. Rounded up, so that a client that waits so long has waited long enough.
 */
export function waitInWords(wait: number): string {
  for (const [i, [unit, length]] of units.entries()) {
    // Less than the next smaller unit is missing: in that unit, 3599 seconds would be 60 minutes, and a year 366 days.
    const missing = units[i + 1]?.[1] ?? 1
    const isOnce = wait > length - missing && wait <= length
    if (isOnce || wait > 2 * length - missing) return counted(Math.ceil(wait / length), unit)
  }
  return counted(wait, 'second')
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
