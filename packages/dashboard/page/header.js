import * as icons from './icons.js'
import { duration } from './numbers.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { State } from './state.js' */
/** @import { View } from './view.js' */

/**
 * @param {State} state
 * @param {{ onPause: () => void, onScope: (name: string) => void }} handlers
 */
export function header(state, { onPause, onScope }) {
  const { view, scope, isPaused } = state
  return html`<header class="bar">
    <div class="bar-row">
      <h1>${icons.mark}Sluice<span class="page-name">live view</span></h1>
      <div class="facts">${view === undefined ? nothing : facts(view)}</div>
      <p class="pulse" data-state=${pulse(state)}><span class="dot"></span>${age(state)}</p>
      <label class="scope">
        <span class="scope-label">Limiter</span>
        <select
          id="scope"
          @change=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => onScope(target.value)}
        >
          <option value="" ?selected=${scope === ''}>All limiters</option>
          ${view?.limiters.map(
            ({ name }) => html`<option value=${name} ?selected=${name === scope}>${name}</option>`,
          )}
        </select>
      </label>
      <button id="pause" type="button" class="pause" @click=${onPause}>
        ${isPaused ? icons.play : icons.pause}<span>${isPaused ? 'Continue' : 'Pause'}</span>
      </button>
    </div>
  </header>`
}

/** @param {View} view */
function facts({ processes, role, stores }) {
  const isOk = stores.every(({ state }) => state === 'ok')
  const items = [
    [`${processes} ${processes === 1 ? 'process' : 'processes'}`, 'ok'],
    isOk ? ['store ok', 'ok'] : ['store unavailable', 'failed'],
    [role === 'write' ? 'you can act' : 'read only', 'ok'],
  ]
  return html`<ul aria-label="About this page">
    ${items.map(([text, tone]) => html`<li data-tone=${tone}>${text}</li>`)}
  </ul>`
}

/** @param {State} state */
function pulse({ view, failure, isPaused }) {
  if (failure !== undefined) return 'failed'
  return isPaused || view === undefined ? 'idle' : 'live'
}

/** @param {State} state */
function age({ view, loadedAt, failure }) {
  if (view === undefined) return failure === undefined ? 'Loading …' : 'No data'
  const ms = Date.now() - loadedAt
  return ms < 1000 ? 'Updated now' : `Updated ${duration(Math.floor(ms / 1000) * 1000)} ago`
}
