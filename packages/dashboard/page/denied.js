import * as icons from './icons.js'
import { clock, count, duration } from './numbers.js'
import { rowsOf } from './order.js'
import { limitersIn, total } from './series.js'
import { mostRows, serverNow } from './state.js'
import { repeat } from './vendor/directives/repeat.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { DeniedRow, State } from './state.js' */
/** @import { ActName, View } from './view.js' */

/** @typedef {(row: { limiter: string, key: string, canAct: boolean, isTyped?: boolean }, act?: ActName) => void} OnOpen */

/**
 * The keys that are limited now, of all limiters in scope, most denials first.
 * @param {View} view
 * @param {string} scope
 * @returns {DeniedRow[]}
 */
export function deniedRows(view, scope) {
  const rows = rowsOf(view, scope, (limiter) => limiter.denied)
  return rows.toSorted((a, b) => b.denials - a.denials)
}

/** The number of keys that are limited now, with those that the view does not list. @param {View} view @param {string} scope */
export function deniedTotal(view, scope) {
  return total(limitersIn(view, scope).map((limiter) => limiter.deniedTotal))
}

/**
 * @param {State} state
 * @param {{ onOpen: OnOpen, onMore: () => void, onTouch: () => void }} handlers
 */
export function deniedTable({ view, denied, isHeld, lengths, scope }, { onOpen, onMore, onTouch }) {
  if (denied.length === 0)
    return html`<p class="nothing">
      ${icons.check}<span
        >No key is limited now. A key is listed from its first denial until it is allowed
        again.</span
      >
    </p>`
  const shown = denied.slice(0, lengths.denied)
  const limiters = view === undefined ? [] : limitersIn(view, scope)
  const all = total(limiters.map(({ deniedTotal }) => Math.min(mostRows, deniedTotal)))
  const more = Math.max(all, denied.length) - shown.length
  const mayAct = view?.role === 'write' && shown.some(({ canAct }) => canAct)
  return html`<table class="keys" @pointermove=${onTouch} @pointerdown=${onTouch}>
      <caption class="hidden">
        Keys that are limited now, most denials first
      </caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Limiter, policy or rule</th>
          <th scope="col" class="number">Denials</th>
          <th scope="col">Allowed again</th>
          ${mayAct ? html`<th scope="col"><span class="hidden">Acts</span></th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          shown,
          ({ name }) => name,
          (row) => deniedRow(row, mayAct, onOpen),
        )}
      </tbody>
    </table>
    <div class="list-foot">
      ${
        more > 0
          ? html`<button type="button" class="quiet" @click=${onMore}>
              Show ${Math.min(20, more)} more of ${count(more + shown.length)}
            </button>`
          : nothing
      }
      <p class="hint">${isHeld ? 'The order is held while you are in the list.' : nothing}</p>
    </div>`
}

/** @param {DeniedRow} row @param {boolean} mayAct @param {OnOpen} onOpen */
function deniedRow(row, mayAct, onOpen) {
  const { limiter, policies, denials, firstDeniedAt, isGone = false, isBlocked } = row
  /** @type {(act?: ActName) => void} */
  const open = (act) => onOpen(row, act)
  return html`<tr class=${isGone ? 'gone' : ''}>
    <th scope="row">${keyButton(row, () => open(isBlocked ? 'unblock' : undefined))}</th>
    <td>
      <span class="limiter">${limiter}</span>
      <span class="policies">${policies.map((policy) => html`<bdi>${policy}</bdi>`)}</span>
      ${badges(row)}
    </td>
    <td class="number" data-label="Denials">
      ${count(denials)}<span class="under">since ${clock(firstDeniedAt)}</span>
    </td>
    <td data-label="Allowed again">${isGone ? 'now' : until(row)}</td>
    ${mayAct ? html`<td class="acts">${row.canAct ? rowActs(row, open) : nothing}</td>` : nothing}
  </tr>`
}

/** A key as text in one line; a click shows all of it. @param {{ key: string, isHidden?: boolean }} row @param {() => void} onClick */
export function keyButton({ key, isHidden = false }, onClick) {
  if (isHidden) return html`<span class="key hidden-key"><bdi>${key}</bdi></span>`
  return html`<button type="button" class="key" title=${key} @click=${onClick}>
    <bdi>${key === '' ? '(empty)' : key}</bdi>
  </button>`
}

/** @param {DeniedRow} row */
function badges({ isBlocked, source }) {
  const blocked = isBlocked ? html`<span class="badge strong">blocked</span>` : nothing
  const about = sources[source]
  if (about === undefined) return blocked
  return html`${blocked}<span class="badge" title=${about}>${source}</span>`
}

/** Sources worth a badge. A denial that the process repeats by itself is a usual one. @type {Readonly<Record<string, string>>} */
const sources = {
  fallback: 'Decided by the fallback, because the store is unavailable',
  open: 'Decided without the store, which is unavailable',
  closed: 'Denied because the store is unavailable',
}

/** @param {DeniedRow} row */
function until({ untilAt }) {
  if (untilAt === null) return html`never<span class="under">with the cost of its request</span>`
  const ms = untilAt - serverNow()
  if (ms <= 0) return 'now'
  return html`in ${duration(ms)}<span class="under">at ${clock(untilAt)}</span>`
}

/** @param {DeniedRow} row @param {(act: ActName) => void} open */
function rowActs({ key, isBlocked }, open) {
  /** @type {readonly (readonly [ActName, string])[]} */
  const offered = [isBlocked ? ['unblock', 'Unblock'] : ['block', 'Block'], ['exempt', 'Exempt']]
  return offered.map(
    ([act, label]) =>
      html`<button
        type="button"
        class="small"
        aria-label="${label} ${key}"
        @click=${() => open(act)}
      >
        ${label}
      </button>`,
  )
}
