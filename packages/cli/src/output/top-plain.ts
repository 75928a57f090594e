import type { LimiterView, View } from '@sluice/dashboard'
import { ratesOf } from '../live/rates.js'
import { shownKey } from '../reading/key-text.js'
import { grouped, rateText, shareText } from '../text/numbers.js'
import { visible } from '../text/visible.js'
import { notesOf } from './top-table.js'

/** Formats a view as one line for each limiter, for a log: `2026-11-20T09:00:00.000Z api 12.3/s, 0.4 denied/s (3.3 %), 2 keys denied, most: ip:203.0.113.9`. */
export function plainLines(view: View): string {
  const time = new Date(view.at).toISOString()
  const limiters = view.limiters.map((limiter) => limiterLine(limiter, view))
  const lines = limiters.length === 0 ? ['no request yet'] : limiters
  return [...lines, ...notesOf(view)].map((line) => `${time} ${line}\n`).join('')
}

function limiterLine(limiter: LimiterView, view: View): string {
  const { name, denied, deniedTotal } = limiter
  const rates = ratesOf(limiter, view)
  const share = shareText(rates.denied, rates.asked)
  const parts = [
    `${visible(name)} ${rateText(rates.asked)}/s`,
    `${rateText(rates.denied)} denied/s${share === '' ? '' : ` (${share})`}`,
    ...(rates.wouldDenyInHour === 0 ? [] : [`${grouped(rates.wouldDenyInHour)} would be denied`]),
    `${grouped(deniedTotal)} ${deniedTotal === 1 ? 'key' : 'keys'} denied`,
  ]
  const [most] = denied.toSorted((a, b) => b.denials - a.denials)
  return [...parts, ...(most === undefined ? [] : [`most: ${shownKey(most.key)}`])].join(', ')
}
