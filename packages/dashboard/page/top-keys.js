import { keyButton } from './denied.js'
import { clockMinutes, count, short } from './numbers.js'
import { rowsOf } from './order.js'
import { limitersIn, total } from './series.js'
import { repeat } from './vendor/directives/repeat.js'
import { html, nothing, svg } from './vendor/lit-html.js'

/** @import { OnOpen } from './denied.js' */
/** @import { State, TopRow } from './state.js' */

const titles = { requests: 'Most requests', denials: 'Most denials' }

/**
 * @param {State} state
 * @param {{ onOpen: OnOpen, onMoreOf: (list: 'requests' | 'denials') => void }} handlers
 */
export function topKeys(state, handlers) {
  return html`<div class="pair">
    ${/** @type {const} */ (['requests', 'denials']).map((list) => topList(state, list, handlers))}
  </div>`
}

/**
 * @param {State} state
 * @param {'requests' | 'denials'} list
 * @param {{ onOpen: OnOpen, onMoreOf: (list: 'requests' | 'denials') => void }} handlers
 */
function topList({ view, scope, lengths }, list, { onOpen, onMoreOf }) {
  const limiters = view === undefined ? [] : limitersIn(view, scope)
  const all = view === undefined ? [] : rowsOf(view, scope, ({ top }) => top[list].keys)
  const rows = all.toSorted((a, b) => b.count - a.count)
  const unlisted = Math.max(0, ...limiters.map(({ top }) => top[list].unlisted))
  const sinceAt = Math.min(...limiters.map(({ top }) => top[list].sinceAt))
  const shown = rows.slice(0, lengths[list])
  const listed = total(limiters.map(({ top }) => top[list].total))
  const more = listed - shown.length
  const most = rows[0]?.count ?? 0
  return html`<section class="sheet" aria-labelledby="top-${list}">
    <div class="sheet-head">
      <h2 id="top-${list}">${titles[list]}</h2>
      ${rows.length === 0 ? nothing : html`<p class="hint">since ${clockMinutes(sinceAt)}</p>`}
    </div>
    ${
      rows.length === 0
        ? html`<p class="nothing">No ${list} have been counted.</p>`
        : html`<table class="top">
            <caption class="hidden">
              Keys with the most ${list}. The true count of a key is lower by its error at most.
            </caption>
            <thead class="bare">
              <tr>
                <th scope="col"><span class="hidden">Key</span></th>
                <th scope="col"><span class="hidden">Limiter</span></th>
                <th scope="col">
                  <span class="hidden">Count, and by how much it may be too high</span>
                </th>
              </tr>
            </thead>
            <tbody>
              ${repeat(
                shown,
                ({ name }) => name,
                (row) => topRow(row, list, most, onOpen),
              )}
            </tbody>
          </table>`
    }
    <div class="list-foot">
      ${
        more > 0
          ? html`<button type="button" class="quiet" @click=${() => onMoreOf(list)}>
              Show ${Math.min(16, more)} more of ${count(listed)}
            </button>`
          : nothing
      }
      ${unlisted > 0 ? html`<p class="hint">other keys: at most ${short(unlisted)} each</p>` : nothing}
    </div>
  </section>`
}

/** @param {TopRow} row @param {string} list @param {number} most @param {OnOpen} onOpen */
function topRow(row, list, most, onOpen) {
  const { limiter, count: counted, error } = row
  const share = most === 0 ? 0 : counted / most
  return html`<tr>
    <th scope="row">
      <svg class="share-of ${list}" width="100%" height="100%" aria-hidden="true">
        ${svg`<rect width="${share * 100}%" height="100%" rx="4" />`}
      </svg>
      ${keyButton(row, () => onOpen(row))}
    </th>
    <td class="limiter">${limiter}</td>
    <td class="number">
      ${count(counted)}${
        error > 0
          ? html` <span
              class="error"
              title="Between ${count(counted - error)} and ${count(counted)}"
              >±${short(error)}</span
            >`
          : nothing
      }
    </td>
  </tr>`
}
