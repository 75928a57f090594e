import { deniedTable, deniedTotal } from './denied.js'
import { header } from './header.js'
import { hour } from './hour.js'
import { keyDialog } from './key-dialog.js'
import { lookUp } from './look-up.js'
import { notices } from './notices.js'
import { now } from './now.js'
import { count } from './numbers.js'
import { rulesSection } from './rules.js'
import { searchPart } from './search.js'
import { total, totalsOf } from './series.js'
import { topKeys } from './top-keys.js'
import { html, nothing } from './vendor/lit-html.js'
import { welcome } from './welcome.js'

/** @import { FormHandlers } from './act-form.js' */
/** @import { OnOpen } from './denied.js' */
/** @import { chartOf } from './series.js' */
/** @import { State } from './state.js' */
/** @import { View } from './view.js' */

/**
 * @typedef {FormHandlers & {
 *   onPause: () => void
 *   onScope: (name: string) => void
 *   onShape: (shape: State['shape']) => void
 *   onOpen: OnOpen
 *   onMoreOf: (list: 'denied' | 'requests' | 'denials') => void
 *   onTouch: () => void
 *   onClose: () => void
 * }} Handlers
 */

/**
 * The whole page.
 * @param {State} state
 * @param {ReturnType<typeof chartOf>} chart
 * @param {Handlers} handlers
 */
export function page(state, chart, handlers) {
  const { view, failure, said } = state
  return html`${header(state, handlers)}
    <main data-stale=${failure === undefined ? nothing : ''}>
      ${notices(state)} ${now(state)}
      ${view === undefined ? nothing : isUnused(view) ? welcome(view) : traffic(state, chart, handlers)}
      ${rulesSection(state)}
    </main>
    ${keyDialog(state, handlers)}
    <p class="hidden" role="status">${said}</p>`
}

/** @param {State} state @param {ReturnType<typeof chartOf>} chart @param {Handlers} handlers */
function traffic(state, chart, handlers) {
  const { onOpen, onMoreOf, onShape } = handlers
  const { view, scope } = state
  return html`${hour(state, chart, onShape)}
    <section class="sheet" aria-labelledby="limited-title">
      <div class="sheet-head">
        <h2 id="limited-title">
          Limited now
          <span class="total">${count(view === undefined ? 0 : deniedTotal(view, scope))}</span>
        </h2>
        ${lookUp(state, onOpen)}
      </div>
      ${deniedTable(state, { ...handlers, onMore: () => onMoreOf('denied') })}
      ${searchPart(state, onOpen)}
    </section>
    ${topKeys(state, handlers)}`
}

/** Whether no limiter has made a decision in the last hour. @param {View} view */
function isUnused({ limiters }) {
  const isEmpty = limiters.every(
    ({ denied, top }) => denied.length + top.requests.keys.length === 0,
  )
  return isEmpty && total(totalsOf(limiters).all) === 0
}
