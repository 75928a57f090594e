/** What one measurement found: figures by their names, as they cross from one process to another. */
export type Reading = Readonly<Record<string, number>>

export function isReading(value: unknown): value is Reading {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((figure) => typeof figure === 'number')
}
