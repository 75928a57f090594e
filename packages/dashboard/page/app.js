import { acts } from './acts.js'
import { loadKey, loadView, RequestError, sendAct } from './api.js'
import { createChart } from './chart.js'
import { deniedRows, deniedTotal } from './denied.js'
import { fieldText } from './fields.js'
import { clockMinutes, count, millisecondsOf } from './numbers.js'
import { heldOrder, leftList } from './order.js'
import { page } from './page.js'
import { poll } from './poll.js'
import { chartOf, limitersIn } from './series.js'
import { mostRows, onChange, serverNow, state, update, updateOpen } from './state.js'
import { render } from './vendor/lit-html.js'

/** @import { OpenKey, State } from './state.js' */
/** @import { ActName, View } from './view.js' */

/** @type {{ element: HTMLElement, draw: ReturnType<typeof createChart>['draw'] } | undefined} */
let chart
/** @type {{ view?: View, scope: string, shape: State['shape'], value: ReturnType<typeof chartOf> }} */
let charted = { scope: '', shape: 'outcome', value: chartOf([], 'outcome') }
let pointedAt = 0
let saidAt = 0

/** @type {Parameters<typeof page>[2]} */
const handlers = {
  onPause() {
    update({ isPaused: !state.isPaused })
    poller.now()
  },
  onScope(scope) {
    update({ scope, denied: state.view === undefined ? [] : deniedRows(state.view, scope) })
  },
  onShape: (shape) => update({ shape }),
  onTouch: () => (pointedAt = Date.now()),
  onMoreOf(list) {
    const lengths = {
      ...state.lengths,
      [list]: state.lengths[list] + (list === 'denied' ? 20 : 16),
    }
    update({ lengths })
    // The rows are not loaded yet.
    if (state.isPaused) void load()
    else poller.now()
  },
  onOpen({ limiter, key, canAct, isTyped = false }, act) {
    const open = {
      limiter,
      key,
      canAct,
      isTyped,
      ...(act === undefined ? { length: '' } : withAct(act)),
    }
    update({ open })
    showDialog()
    if (canAct) void readKey(open)
  },
  onClose() {
    // The event comes later than the closing, when another key can be open already.
    if (dialog()?.open !== true) update({ open: undefined })
  },
  onAct(act) {
    if (state.open === undefined) return
    update({ open: { ...state.open, ...withAct(act), done: undefined, refusal: undefined } })
  },
  onLength(length) {
    if (state.open !== undefined) update({ open: { ...state.open, length } })
  },
  onSubmit: (form) => void submit(form),
}

onChange(draw)
draw()
setInterval(() => document.hidden || draw(), 1000)
const poller = poll(load, {
  everyMs: 2000,
  isWanted: () => !state.isPaused && state.failure?.isFinal !== true,
})

function draw() {
  const { view, scope, shape } = state
  const focused = document.activeElement
  const isNew = view !== charted.view || scope !== charted.scope || shape !== charted.shape
  if (isNew && view !== undefined)
    charted = { view, scope, shape, value: chartOf(limitersIn(view, scope), shape) }
  render(page(state, charted.value, handlers), document.body)
  drawChart(isNew)
  // A row that has moved loses the focus.
  if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
    focused.focus({ preventScroll: true })
}

/** @param {boolean} isNew */
function drawChart(isNew) {
  const element = document.getElementById('chart')
  if (element === null) return
  const isOther = chart?.element !== element
  if (isOther) chart = { element, ...createChart(element) }
  if (isOther || isNew) chart?.draw(charted.value)
}

function showDialog() {
  const element = dialog()
  if (element?.open === false) element.showModal()
}

function dialog() {
  const element = document.getElementById('key-dialog')
  return element instanceof HTMLDialogElement ? element : undefined
}

async function load() {
  try {
    const view = await loadView(rowsOf(state.lengths))
    // A limiter can disappear, and its name would still be the filter.
    const scope = view.limiters.some(({ name }) => name === state.scope) ? state.scope : ''
    const fresh = deniedRows(view, scope)
    const held = isInList() ? heldOrder(fresh, state.denied, leftList(view)) : fresh
    const isHeld = held.some((row, i) => fresh[i] === undefined || row.name !== fresh[i].name)
    const said = newsOf(view, deniedTotal(view, scope))
    update({ view, scope, loadedAt: Date.now(), failure: undefined, denied: held, isHeld, said })
  } catch (error) {
    fail(error)
  }
  if (state.open?.canAct === true && state.failure === undefined) await readKey(state.open)
}

/** More rows than a list shows, so that a row which falls behind others stays in it. @param {State['lengths']} lengths */
function rowsOf({ denied, requests, denials }) {
  return Math.min(mostRows, 10 + Math.max(denied, requests, denials))
}

/** @param {unknown} error */
function fail(error) {
  if (!(error instanceof RequestError)) reportError(error)
  const { message, status } = asRequestError(error)
  const isFinal = status === 401 || status === 403 || (status >= 200 && status < 300)
  const sinceAt = state.failure?.sinceAt ?? serverNow()
  update({ failure: { sinceAt, message, isFinal }, said: message })
}

/** Whether the reader points at a row, has the focus in one, or has opened one. */
function isInList() {
  if (state.open !== undefined) return true
  if (document.querySelector('.keys tbody:focus-within') !== null) return true
  // A pointer that has been left there does not hold the order.
  const isPointing = Date.now() - pointedAt < 8000
  return isPointing && document.querySelector('.keys tbody:hover') !== null
}

/** The message for a screen reader: at most one about keys in ten seconds. @param {View} view @param {number} denied */
function newsOf(view, denied) {
  if (state.failure !== undefined) return 'The server answers again.'
  if (view.share.state === 'failed' && state.view?.share.state !== 'failed')
    return 'Redis does not answer, so only this process is shown.'
  const before = state.view === undefined ? denied : deniedTotal(state.view, state.scope)
  if (denied <= before || Date.now() - saidAt < 10_000) return state.said
  saidAt = Date.now()
  return `${count(denied)} ${denied === 1 ? 'key is' : 'keys are'} limited now.`
}

/** @type {Partial<Record<ActName, string>>} */
const usualLengths = { exempt: '1h', grant: '24h' }

/** @param {ActName} act */
function withAct(act) {
  return { act, length: usualLengths[act] ?? '10m' }
}

/** @param {OpenKey} open */
async function readKey(open) {
  try {
    const view = await loadKey(open)
    updateOpen(open, { view, error: undefined })
  } catch (error) {
    updateOpen(open, { error: asRequestError(error).message })
  }
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  const { open } = state
  if (open?.act === undefined || open.isSending === true) return
  const { limiter, act, length } = open
  const { needs = [] } = acts[act]
  const units = Number(fieldText(form, 'units'))
  updateOpen(open, { isSending: true, done: undefined, refusal: undefined })
  try {
    const { key, wasCounted } = await sendAct({
      limiter,
      key: open.view?.key ?? open.key,
      act,
      ...(needs.includes('length') ? { length: length.trim() } : {}),
      ...(needs.includes('units') ? { units } : {}),
      reason: fieldText(form, 'reason').trim(),
    })
    const reason = form.elements.namedItem('reason')
    if (reason instanceof HTMLInputElement) reason.value = ''
    updateOpen(open, {
      isSending: false,
      view: key,
      done: doneText(act, length, units) + (wasCounted ? '' : unseen),
    })
    poller.now()
  } catch (error) {
    updateOpen(open, { isSending: false, refusal: asRequestError(error).message })
  }
  // On a phone, the result is below the screen.
  form.querySelector('[role=status]')?.scrollIntoView({ block: 'nearest' })
}

const unseen =
  ' Nothing was counted for this key before: is it the key that the application counts by?'

/** @param {ActName} act @param {string} length @param {number} units */
function doneText(act, length, units) {
  const { done, needs = [] } = acts[act]
  const ms = needs.includes('length') ? millisecondsOf(length) : undefined
  const number = `${count(units)} ${units === 1 ? 'unit' : 'units'}`
  const words = [
    done,
    ...(needs.includes('units') ? [act === 'grant' ? number : `by ${number}`] : []),
    ...(ms === undefined ? [] : [`until ${clockMinutes(serverNow() + ms)}`]),
  ]
  return `${words.join(' ')}.`
}

/** @param {unknown} error */
function asRequestError(error) {
  return error instanceof RequestError ? error : new RequestError('The page has an error.')
}
