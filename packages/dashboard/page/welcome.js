import { html, svg } from './vendor/lit-html.js'

/** @import { View } from './view.js' */

/** The page before the first request. @param {View} view */
export function welcome({ limiters, share }) {
  const names = limiters.map(({ name }) => name)
  return html`<section class="sheet welcome" aria-labelledby="welcome-title">
    <svg class="ghost" viewBox="0 0 240 120" aria-hidden="true">${ghost}</svg>
    <h2 id="welcome-title">Waiting for the first request</h2>
    <p>
      ${
        names.length === 0
          ? 'A limiter is listed here when it makes its first decision.'
          : html`The page watches
            ${names.map((name, i) => html`${separator(i, names.length)}<b>${name}</b>`)}. When a
            limited route receives a request, its decision is shown within seconds:`
      }
    </p>
    <ul>
      <li>
        <b>The last hour</b> requests a second, allowed and denied, for each limiter, policy and
        rule
      </li>
      <li><b>Limited now</b> which keys are denied, by which policy, and until when</li>
      <li><b>Top keys</b> the keys with the most requests, and with the most denials</li>
      <li><b>Acts</b> block, exempt, reset or penalize one key, with a reason for the audit log</li>
    </ul>
    <p class="hint">
      ${
        share.state === 'none'
          ? 'Only the requests of this process are shown. With the option share, the page shows those of all processes.'
          : 'The requests of all processes are shown together.'
      }
    </p>
  </section>`
}

/** A chart without data. */
const ghost = svg`<path class="grid" d="M0 100.5H240M0 67.5H240M0 34.5H240" />
  <path class="area" d="M0 100V84L24 76 48 80 72 60 96 66 120 44 144 54 168 38 192 50 216 30 240 40V100z" />
  <path class="line" d="M0 84L24 76 48 80 72 60 96 66 120 44 144 54 168 38 192 50 216 30 240 40" />`

/** @param {number} i @param {number} length */
function separator(i, length) {
  if (i === 0) return ''
  return i === length - 1 ? ' and ' : ', '
}
