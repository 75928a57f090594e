import { clockMinutes, rate } from './numbers.js'
import { total } from './series.js'
import { html } from './vendor/lit-html.js'

/** @import { State } from './state.js' */
/** @import { Line } from './series.js' */

const shapes = /** @type {const} */ ([
  ['outcome', 'All requests'],
  ['limiter', 'By limiter'],
  ['policy', 'By policy or rule'],
])

/**
 * The section of the chart. The content of the element `chart` belongs to createChart.
 * @param {State} state
 * @param {{ times: readonly number[], lines: readonly Line[] }} chart
 * @param {(shape: State['shape']) => void} onShape
 */
export function hour({ shape }, { times, lines }, onShape) {
  return html`<section class="sheet" aria-labelledby="hour-title">
    <div class="sheet-head">
      <h2 id="hour-title">The last hour</h2>
      <fieldset class="switch">
        <legend class="hidden">What the chart shows</legend>
        ${shapes.map(
          ([value, label]) =>
            html`<label>
              <input
                type="radio"
                name="shape"
                value=${value}
                .checked=${value === shape}
                @change=${() => onShape(value)}
              /><span>${label}</span>
            </label>`,
        )}
      </fieldset>
    </div>
    <div class="chart" id="chart"></div>
    <details class="figures">
      <summary>Show as a table</summary>
      ${table(times, lines)}
    </details>
  </section>`
}

/**
 * Means of five minutes, newest first.
 * @param {readonly number[]} times
 * @param {readonly Line[]} lines
 */
function table(times, lines) {
  const length = 30
  const ends = Array.from({ length: 12 }, (_, i) => times.length - i * length).filter(
    (end) => end > 0,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The last hour as a table">
    <table>
      <caption class="hidden">
        The last hour, a second, as means of five minutes
      </caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          ${lines.map(({ label }) => html`<th scope="col" class="number"><bdi>${label}</bdi></th>`)}
        </tr>
      </thead>
      <tbody>
        ${ends.map((end) => {
          const start = Math.max(0, end - length)
          return html`<tr>
            <th scope="row">${clockMinutes(times[start] ?? 0)}</th>
            ${lines.map(({ values }) => {
              const part = values.slice(start, end)
              return html`<td class="number">${rate(total(part) / part.length)}</td>`
            })}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
}
