import { actForm } from './act-form.js'
import * as icons from './icons.js'
import { count, duration } from './numbers.js'
import { html, nothing, svg } from './vendor/lit-html.js'

/** @import { OpenKey, State } from './state.js' */
/** @import { KeyPolicy, KeyView } from './view.js' */
/** @import { FormHandlers } from './act-form.js' */

/**
 * The dialog about one key: what it has used, and what can be done about it. app.js opens and closes the element.
 * @param {State} state
 * @param {FormHandlers & { onClose: () => void }} handlers
 */
export function keyDialog({ open, view }, handlers) {
  return html`<dialog
    id="key-dialog"
    aria-labelledby="key-title"
    @close=${handlers.onClose}
    @click=${closeOutside}
  >
    ${open === undefined ? nothing : content(open, view?.role === 'write', handlers)}
  </dialog>`
}

/** @param {OpenKey} open @param {boolean} isWriter @param {FormHandlers} handlers */
function content(open, isWriter, handlers) {
  return html`<div class="dialog-body">
    <div class="dialog-head">
      <div>
        <p class="eyebrow">Key of ${open.limiter}</p>
        <h2 id="key-title" class="whole-key" tabindex="-1" autofocus>
          <bdi>${isWriter ? (open.view?.key ?? open.key) : open.key}</bdi>
        </h2>
      </div>
      <form method="dialog">
        <button class="round" aria-label="Close">${icons.close}</button>
      </form>
    </div>
    ${open.canAct ? counts(open) : html`<p class="aside">${notPassed}</p>`}
    ${open.canAct && isWriter && (!open.isTyped || open.view !== undefined) ? actForm(open, handlers) : nothing}
  </div>`
}

const notPassed =
  'The limiter of this key was not passed to createDashboard, so the page can show the key, but neither its counts nor acts.'

const nothingCounted =
  'Nothing is counted for this key: it was never counted, or its counts have expired. An act on it holds for its next requests, if this is the key that the application counts by.'

/** @param {OpenKey} open */
function counts({ view, error }) {
  return html`<section class="counts" aria-label="Counts">
    ${
      error === undefined
        ? nothing
        : html`<div class="notice" data-tone="failed" role="alert">
            ${icons.warning}
            <p>${error}</p>
          </div>`
    }
    ${
      view === undefined
        ? html`<p class="aside">${error === undefined ? 'Reading its counts …' : nothing}</p>`
        : html`${view.isCounted ? view.policies.map(quota) : html`<p class="aside">${nothingCounted}</p>`}${about(view)}`
    }
  </section>`
}

/** @param {KeyPolicy} policy */
function quota(policy) {
  const { name, used, limit, remaining, resetMs, blockedMs, exemptMs, granted, isUncertain } =
    policy
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const isFull = used >= limit
  return html`<div class="quota">
    <p class="quota-name">
      <bdi>${name}</bdi>
      ${
        blockedMs > 0
          ? html`<span class="badge strong">blocked for ${duration(blockedMs)}</span>`
          : nothing
      }
      ${
        exemptMs > 0
          ? html`<span class="badge good">exempt for ${duration(exemptMs)}</span>`
          : nothing
      }
      ${
        granted === undefined
          ? nothing
          : html`<span class="badge good">${count(granted)} granted</span>`
      }
    </p>
    ${isUncertain ? usedOf(used) : quotaOf()}
  </div>`

  function quotaOf() {
    return html`<p class="quota-used"><b>${count(used)}</b> of ${count(limit)}</p>
      <svg class="bar-of ${isFull ? 'full' : ''}" width="100%" height="6" aria-hidden="true">
        ${svg`<rect class="ground" width="100%" height="6" rx="3" /><rect class="share" width="${share * 100}%" height="6" rx="3" />`}
      </svg>
      <p class="under">
        ${count(remaining)} left${resetMs > 0 ? `, full quota in ${duration(resetMs)}` : ''}
      </p>`
  }
}

/** The limit of another key would be wrong. @param {number} used */
function usedOf(used) {
  return html`<p class="quota-used"><b>${count(used)}</b> used</p>
    <p class="under">
      The limit depends on the request, and that of the last request of this key is not known here.
    </p>`
}

/** @param {KeyView} view */
function about({ rules = [], source }) {
  const from = source === 'store' ? nothing : html`<p class="under">Read from: ${source}</p>`
  if (rules.length === 0) return from
  return html`${from}
    <p class="under">
      ${rules.length === 1 ? 'Rule' : 'Rules'} that count it:
      ${rules.map(
        ({ id, description }) =>
          html`<bdi class="policy" title=${description ?? nothing}>${id}</bdi> `,
      )}
    </p>`
}

/** A click outside the dialog. @param {MouseEvent} event */
function closeOutside({ target, currentTarget }) {
  if (target === currentTarget && target instanceof HTMLDialogElement) target.close()
}
