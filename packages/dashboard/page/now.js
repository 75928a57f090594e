import { count, duration, percent, rate, short } from './numbers.js'
import { limitersIn, rateNow, total, totalsOf } from './series.js'
import { serverNow } from './state.js'
import { html, nothing, svg } from './vendor/lit-html.js'

/** @import { State } from './state.js' */
/** @import { StoreView, View } from './view.js' */

/** Four figures of this moment. Without data they have the same size. @param {State} state */
export function now({ view, scope }) {
  return html`<section class="tiles" aria-label="Now">
    ${
      view === undefined
        ? ['Requests a second', 'Denied', 'Store', 'Processes'].map((name) =>
            tile(name, '–', nothing),
          )
        : [...trafficTiles(view, scope), storeTile(view.stores), processesTile(view)]
    }
  </section>`
}

/** @param {View} view @param {string} scope */
function trafficTiles(view, scope) {
  const limiters = limitersIn(view, scope)
  const { all, denied } = totalsOf(limiters)
  const series = limiters[0]?.series
  const perSecond = series === undefined ? 0 : rateNow(all, series, view.at)
  const deniedPerSecond = series === undefined ? 0 : rateNow(denied, series, view.at)
  const share = perSecond === 0 ? 0 : deniedPerSecond / perSecond
  const [requests, denials] = [byMinute(all), byMinute(denied)]
  const shares = requests.map((sum, i) => (sum === 0 ? 0 : (denials[i] ?? 0) / sum))
  return [
    tile(
      'Requests a second',
      rate(perSecond),
      `${short(total(all))} in the last hour`,
      spark(requests, 'allowed'),
    ),
    tile(
      'Denied',
      percent(share),
      `${rate(deniedPerSecond)} a second, ${short(total(denied))} in the hour`,
      spark(shares, 'denied'),
      share >= 0.1 ? 'denied' : '',
    ),
  ]
}

/** A store that has never failed is not in the list. @param {readonly StoreView[]} stores */
function storeTile(stores) {
  const failing = stores.find(({ state }) => state !== 'ok')
  const errors = total(stores.map((store) => store.errors))
  const found =
    errors === 0
      ? 'no errors in the hour'
      : `${count(errors)} ${errors === 1 ? 'error' : 'errors'} in the hour`
  if (failing === undefined) return tile('Store', 'OK', found)
  const since = failing.sinceAt === null ? '' : ` for ${duration(serverNow() - failing.sinceAt)}`
  const value = failing.state === 'fallback' ? 'Fallback' : 'Unavailable'
  return tile('Store', value, `${failing.name}${since}, ${found}`, nothing, 'failed')
}

/** @param {View} view */
function processesTile({ processes, share }) {
  if (share.state === 'none') return tile('Processes', '1', 'only this process is shown')
  if (share.state === 'failed')
    return tile('Processes', '1', 'Redis does not answer', nothing, 'failed')
  const about = share.notMerged === 0 ? 'merged through Redis' : `${share.notMerged} not included`
  return tile('Processes', count(processes), about)
}

/**
 * @param {string} label
 * @param {string} value
 * @param {unknown} about
 * @param {unknown} [picture]
 * @param {string} [tone]
 */
function tile(label, value, about, picture = nothing, tone = '') {
  return html`<div class="tile" data-tone=${tone}>
    <h2 class="tile-label">${label}</h2>
    <p class="tile-value">${value}</p>
    <p class="tile-about">${about}</p>
    ${picture}
  </div>`
}

/** The sums of each complete minute. @param {readonly number[]} values */
function byMinute(values) {
  const complete = values.slice(0, -1)
  return Array.from({ length: 59 }, (_, i) => {
    const end = complete.length - (58 - i) * 6
    return total(complete.slice(Math.max(0, end - 6), Math.max(0, end)))
  })
}

/** @param {readonly number[]} values @param {string} name */
function spark(values, name) {
  const greatest = Math.max(...values)
  if (greatest === 0) return nothing
  const y = (/** @type {number} */ value) => 23 - (value / greatest) * 21
  const line = values.map((value, i) => `${i} ${y(value).toFixed(1)}`).join('L')
  return html`<svg
    class="spark ${name}"
    viewBox="0 0 58 24"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${svg`<path class="area" d="M0 24L${line}L58 24z" /><path class="line" d="M${line}" />`}
  </svg>`
}
