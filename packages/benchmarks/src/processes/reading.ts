/** The figures of one measurement by name, as a process sends them. */
export type Reading = Readonly<Record<string, number>>

export function isReading(value: unknown): value is Reading {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((figure) => typeof figure === 'number')
}
