import * as icons from './icons.js'
import { clock, count } from './numbers.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { State } from './state.js' */
/** @import { RulesView, RuleView } from './view.js' */

/** @param {State} state */
export function rulesSection({ view }) {
  if (view?.rules === undefined) return nothing
  const { name, version, loadedAt, from, refused, rules } = view.rules
  return html`<section class="sheet" aria-labelledby="rules-title">
    <div class="sheet-head">
      <h2 id="rules-title">Rules</h2>
      <p class="hint">
        <bdi>${name}</bdi>, version <bdi>${version}</bdi>, in use since ${clock(loadedAt)} from
        <bdi>${from}</bdi>
      </p>
    </div>
    ${refused === undefined ? nothing : refusal(refused)}
    <table class="rules">
      <caption class="hidden">
        Rules and their counts
      </caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          ${columns.map(([, label]) => html`<th scope="col" class="number">${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rules.map(ruleRow)}
      </tbody>
    </table>
  </section>`
}

const columns = /** @type {const} */ ([
  ['asked', 'Asked'],
  ['allowed', 'Allowed'],
  ['denied', 'Denied'],
  ['shadowDenied', 'Denied in shadow'],
  ['near', 'Near the limit'],
  ['errors', 'Errors'],
])

/** @param {NonNullable<RulesView['refused']>} refused */
function refusal({ at, code, message }) {
  return html`<div class="notice" data-tone="failed">
    ${icons.warning}
    <p>
      <b>A newer document has been refused since ${clock(at)}.</b> ${message} <code>${code}</code>
    </p>
  </div>`
}

/** @param {RuleView} rule */
function ruleRow({ id, description, shadow, enabled, stats }) {
  return html`<tr class=${enabled ? '' : 'gone'}>
    <th scope="row">
      <bdi class="rule-id">${id}</bdi>
      ${shadow ? html`<span class="badge">shadow</span>` : nothing}
      ${enabled ? nothing : html`<span class="badge">disabled</span>`}
      ${description === undefined ? nothing : html`<span class="under"><bdi>${description}</bdi></span>`}
    </th>
    ${columns.map(
      ([stat, label]) =>
        html`<td class="number ${toneOf(stat, stats[stat])}" data-label=${label}>
          ${count(stats[stat])}
        </td>`,
    )}
  </tr>`
}

/** @param {string} stat @param {number} value */
function toneOf(stat, value) {
  if (value === 0) return 'zero'
  return ['denied', 'errors'].includes(stat) ? 'hot' : ''
}
