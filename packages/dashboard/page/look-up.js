import { fieldText } from './fields.js'
import * as icons from './icons.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { OnOpen } from './denied.js' */
/** @import { State } from './state.js' */

/**
 * The field that looks a key up by its text.
 * @param {State} state
 * @param {OnOpen} onOpen
 */
export function lookUp({ view, scope }, onOpen) {
  const limiters = (view?.limiters ?? []).filter(({ canAct }) => canAct)
  if (limiters.length === 0) return nothing
  return html`<form
    class="look-up"
    role="search"
    aria-label="Look a key up"
    @submit=${(/** @type {SubmitEvent} */ event) => {
      event.preventDefault()
      const form = event.target
      if (!(form instanceof HTMLFormElement)) return
      const [limiter, key] = ['limiter', 'key'].map((name) => fieldText(form, name))
      onOpen({ limiter, key, canAct: true, isTyped: true })
    }}
  >
    <label>
      <span class="hidden">Limiter of the key</span>
      <select name="limiter">
        ${limiters.map(
          ({ name }) => html`<option value=${name} ?selected=${name === scope}>${name}</option>`,
        )}
      </select>
    </label>
    <label>
      <span class="hidden">Key</span>
      <input
        name="key"
        required
        placeholder="Look a key up"
        autocomplete="off"
        spellcheck="false"
      />
    </label>
    <button aria-label="Look up">${icons.lens}</button>
  </form>`
}
