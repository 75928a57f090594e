import * as icons from './icons.js'
import { clock, duration } from './numbers.js'
import { serverNow } from './state.js'
import { html } from './vendor/lit-html.js'

/** @import { State } from './state.js' */
/** @import { View } from './view.js' */

/** The reader must know this before trusting the figures. @param {State} state */
export function notices({ view, failure }) {
  const all = [
    ...(failure === undefined ? [] : [failureNotice(failure, view)]),
    ...(view === undefined ? [] : [...shareNotices(view), ...storeNotices(view)]),
  ]
  return html`<div class="notices">${all}</div>`
}

/**
 * @param {NonNullable<State['failure']>} failure
 * @param {View | undefined} view
 */
function failureNotice({ sinceAt, message, isFinal }, view) {
  const figures = view === undefined ? '' : ` The figures are those of ${clock(view.at)}.`
  const next = isFinal
    ? html` <button type="button" @click=${() => location.reload()}>Reload the page</button>`
    : ' The page asks again every 2 seconds.'
  return notice('failed', html`<b>${message}</b> Since ${clock(sinceAt)}.${figures}${next}`)
}

/** @param {View} view */
function shareNotices({ share, processes }) {
  if (share.state === 'failed') {
    const error = share.error === undefined ? '' : html` <code>${share.error}</code>`
    return [
      notice(
        'failed',
        html`<b>Redis does not answer, so only this process is shown.</b> The figures of the other
          processes return with Redis.${error}`,
      ),
    ]
  }
  const { notMerged, newer = 0, wrongPrefix } = share
  return [
    ...(wrongPrefix === undefined ? [] : [prefixNotice(wrongPrefix)]),
    ...versionNotice(notMerged, processes, 'another', 'are not included'),
    ...versionNotice(newer, processes, 'a newer', 'are included as far as this version knows them'),
  ]
}

/** @param {string} prefix */
function prefixNotice(prefix) {
  return notice(
    'failed',
    html`<b>Redis has no key of these limiters under the prefix “<bdi>${prefix}</bdi>”,</b> so the
      search finds none. Pass redisView the prefix of redisStore, and the Redis of the store.`,
  )
}

/** @param {number} some @param {number} processes @param {string} version @param {string} included */
function versionNotice(some, processes, version, included) {
  if (some === 0) return []
  return [
    notice(
      'note',
      html`${some} of ${processes} processes ${some === 1 ? 'runs' : 'run'} ${version} version of
      the dashboard. ${some === 1 ? 'Its' : 'Their'} figures ${included}.`,
    ),
  ]
}

/** @param {View} view */
function storeNotices({ stores }) {
  return stores
    .filter(({ state }) => state !== 'ok')
    .map(({ name, state, sinceAt, lastError }) => {
      const since = sinceAt === null ? '' : ` for ${duration(serverNow() - sinceAt)}`
      const last =
        lastError === undefined ? '' : html` <code>${lastError.code}: ${lastError.message}</code>`
      return notice(
        'failed',
        html`<b>The store “${name}” has been unavailable${since}.</b>
          ${consequences[state]}${last}`,
      )
    })
}

const consequences = {
  ok: '',
  open: 'Requests are decided without it, as the option for failures says.',
  fallback: 'The fallback decides: it counts in the memory of each process.',
}

/** @param {'failed' | 'note'} tone @param {unknown} text */
function notice(tone, text) {
  return html`<div class="notice" data-tone=${tone}>
    ${icons.warning}
    <p>${text}</p>
  </div>`
}
