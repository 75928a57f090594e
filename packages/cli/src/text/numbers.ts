/** Separates thousands: 4 512 903. */
export function grouped(number: number): string {
  return `${number}`.replace(/\B(?=(?:\d{3})+$)/g, ' ')
}

/** A rate in at least two digits: 0.4, 12.3, 1 204. */
export function rateText(perSecond: number): string {
  return perSecond >= 100 ? grouped(Math.round(perSecond)) : perSecond.toFixed(1)
}

/** A share of a number; empty if there is nothing to share. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : `${((part / whole) * 100).toFixed(1)} %`
}
