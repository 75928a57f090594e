import { onTestFinished } from 'vitest'

/** Counts how often a time zone is read from `Intl`, until the test ends. */
export function watchZoneReadings(): { count: number } {
  const { prototype } = Intl.DateTimeFormat
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')
  if (format?.get === undefined) throw new Error('the format is not a getter')
  const { get } = format
  const readings = { count: 0 }
  Object.defineProperty(prototype, 'format', {
    ...format,
    get() {
      readings.count++
      return get.call(this)
    },
  })
  onTestFinished(() => void Object.defineProperty(prototype, 'format', format))
  return readings
}
