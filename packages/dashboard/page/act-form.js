import { actNames, acts } from './acts.js'
import * as icons from './icons.js'
import { clockMinutes, duration, millisecondsOf } from './numbers.js'
import { serverNow } from './state.js'
import { html, nothing } from './vendor/lit-html.js'

/** @import { OpenKey } from './state.js' */
/** @import { ActName } from './view.js' */

/**
 * @typedef {object} FormHandlers
 * @property {(act: ActName) => void} onAct
 * @property {(length: string) => void} onLength
 * @property {(form: HTMLFormElement) => void} onSubmit
 */

/** @type {Partial<Record<ActName, readonly string[]>>} */
const lengths = {
  block: ['10m', '1h', '24h', '7d'],
  exempt: ['15m', '1h', '8h', '24h'],
  grant: ['1h', '8h', '24h', '7d'],
}

/** @param {OpenKey} open @param {FormHandlers} handlers */
export function actForm(open, { onAct, onLength, onSubmit }) {
  const { act } = open
  return html`<form
    class="act"
    @submit=${(/** @type {SubmitEvent} */ event) => {
      event.preventDefault()
      if (event.target instanceof HTMLFormElement) onSubmit(event.target)
    }}
  >
    <fieldset class="choices">
      <legend>Act on this key</legend>
      ${actNames.map(
        (name) =>
          html`<label>
            <input
              type="radio"
              name="act"
              value=${name}
              .checked=${name === act}
              @change=${() => onAct(name)}
            /><span>${acts[name].label}</span>
          </label>`,
      )}
    </fieldset>
    ${act === undefined ? nothing : fields({ ...open, act }, onLength)}
    <div role="status">${result(open)}</div>
  </form>`
}

/** The fields of the chosen act. @param {OpenKey & { act: ActName }} open @param {(length: string) => void} onLength */
function fields(open, onLength) {
  const { meaning, needs = [], isSevere } = acts[open.act]
  return html`<p class="meaning">${meaning}</p>
    ${needs.includes('units') ? unitsField() : nothing}
    ${needs.includes('length') ? lengthField(open, onLength) : nothing}
    <label class="field">
      <span>Reason</span>
      <input
        name="reason"
        required
        pattern=".*\\S.*"
        maxlength="500"
        autocomplete="off"
        aria-describedby="reason-hint"
      />
      <span class="under" id="reason-hint">The application receives it for its audit log.</span>
    </label>
    <div class="confirm">
      <button
        class=${isSevere === true ? 'severe' : 'primary'}
        ?disabled=${open.isSending === true}
      >
        ${confirmation(open)}
      </button>
    </div>`
}

/** @param {OpenKey & { act: ActName }} open @param {(length: string) => void} onLength */
function lengthField({ act, length }, onLength) {
  return html`<div class="field">
    <label for="length">For how long</label>
    <div class="length">
      <input
        id="length"
        name="length"
        required
        size="6"
        autocomplete="off"
        aria-describedby="length-hint"
        .value=${length}
        @input=${(/** @type {{ target: HTMLInputElement }} */ { target }) => onLength(target.value)}
      />
      ${(lengths[act] ?? []).map(
        (text) =>
          html`<button
            type="button"
            class="small"
            aria-pressed=${text === length}
            @click=${() => onLength(text)}
          >
            ${text}
          </button>`,
      )}
    </div>
    <span class="under" id="length-hint">${untilHint(length)}</span>
  </div>`
}

/** @param {string} length */
function untilHint(length) {
  const ms = millisecondsOf(length)
  if (ms === undefined) return 'A number and its unit: 90s, 10m, 1h, 2d.'
  return `Until ${clockMinutes(serverNow() + ms)}.`
}

function unitsField() {
  return html`<label class="field">
    <span>Units</span>
    <input name="units" type="number" min="1" step="1" value="1" required />
  </label>`
}

/** The whole name of the act. @param {OpenKey & { act: ActName }} open */
function confirmation({ act, length, isSending }) {
  const { label, needs = [] } = acts[act]
  if (isSending === true) return 'Sending …'
  const ms = needs.includes('length') ? millisecondsOf(length) : undefined
  return ms === undefined ? label : `${label} for ${duration(ms)}`
}

/** @param {OpenKey} open */
function result({ done, refusal }) {
  if (refusal !== undefined)
    return html`<div class="notice" data-tone="failed">
      ${icons.warning}
      <p>${refusal}</p>
    </div>`
  if (done !== undefined)
    return html`<div class="notice" data-tone="good">
      ${icons.check}
      <p>${done}</p>
    </div>`
  return nothing
}
