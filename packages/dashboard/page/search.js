import { RequestError, searchRedis } from './api.js'
import { keyButton } from './denied.js'
import * as icons from './icons.js'
import { count, duration } from './numbers.js'
import { state, update } from './state.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { OnOpen } from './denied.js' */
/** @import { Search, State } from './state.js' */
/** @import { KeyView } from './view.js' */

/** @param {State} state @param {OnOpen} onOpen */
export function searchPart({ view, search, scope }, onOpen) {
  const names = searched(view, scope)
  if (view === undefined || view.share.state === 'none' || names.length === 0) return nothing
  const isRunning = search?.isRunning === true
  return html`<div class="search">
    <div class="search-head">
      <p>
        A key that was blocked before the dashboard started, or sends nothing, is not in this list.
      </p>
      <button id="search" type="button" @click=${() => (isRunning ? stop() : void start(names))}>
        ${icons.lens}${isRunning ? 'Stop the search' : 'Search Redis for blocked keys'}
      </button>
    </div>
    ${search === undefined ? nothing : results(search, onOpen)}
  </div>`
}

/** @param {Search} search @param {OnOpen} onOpen */
function results({ isRunning, scanned, keys, error }, onOpen) {
  return html`<p class="hint" role=${isRunning ? nothing : 'status'}>
      ${isRunning ? 'Searching: ' : 'Searched: '}${count(scanned)} ${scanned === 1 ? 'key' : 'keys'}
      read, ${count(keys.length)}
      blocked${keys.length > 100 ? ', the first 100 are shown' : ''}.${error === undefined ? nothing : ` ${error}`}
    </p>
    ${
      keys.length === 0
        ? nothing
        : html`<table class="found">
            <caption class="hidden">
              Blocked keys in Redis
            </caption>
            <thead class="bare">
              <tr>
                <th scope="col"><span class="hidden">Key</span></th>
                <th scope="col"><span class="hidden">Limiter</span></th>
                <th scope="col"><span class="hidden">Blocked for</span></th>
              </tr>
            </thead>
            <tbody>
              ${keys.slice(0, 100).map((key) => foundRow(key, onOpen))}
            </tbody>
          </table>`
    }`
}

/** @param {KeyView} found @param {OnOpen} onOpen */
function foundRow(found, onOpen) {
  const { limiter, key, policies } = found
  const isHidden = state.view?.isMasked === true
  const blockedMs = Math.max(0, ...policies.map((policy) => policy.blockedMs))
  return html`<tr>
    <th scope="row">
      ${keyButton({ key, isHidden }, () => onOpen({ limiter, key, canAct: true }, 'unblock'))}
    </th>
    <td class="limiter">${limiter}</td>
    <td class="number">blocked for ${duration(blockedMs)}</td>
  </tr>`
}

/** The limiters whose keys the search reads. @param {State['view']} view @param {string} scope */
function searched(view, scope) {
  return (view?.limiters ?? [])
    .filter(({ name, canAct }) => canAct && (scope === '' || scope === name))
    .map(({ name }) => name)
}

/** Reads one part after another, until all are read or the reader stops it. @param {readonly string[]} names */
async function start(names) {
  /** @type {Search} */
  let search = { isRunning: true, scanned: 0, keys: [] }
  update({ search })
  try {
    for (const name of names) {
      /** @type {string | null} */
      let cursor = null
      do {
        const found = await searchRedis(name, cursor)
        cursor = found.cursor
        const { scanned, keys } = search
        const isRunning = state.search?.isRunning === true
        search = { isRunning, scanned: scanned + found.scanned, keys: together(keys, found.keys) }
        update({ search })
        if (!isRunning) return
      } while (cursor !== null)
    }
    update({ search: { ...search, isRunning: false } })
  } catch (error) {
    const message = error instanceof RequestError ? error.message : String(error)
    update({ search: { ...search, isRunning: false, error: message } })
  }
}

/** Redis can return a key twice. @param {readonly KeyView[]} before @param {readonly KeyView[]} found */
function together(before, found) {
  const all = [...before, ...found]
  if (state.view?.isMasked === true) return all
  return [...new Map(all.map((one) => [`${one.limiter} ${one.key}`, one])).values()]
}

function stop() {
  if (state.search !== undefined) update({ search: { ...state.search, isRunning: false } })
}
