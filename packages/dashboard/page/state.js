/** @import { DeniedKey, KeyView, TopKey, View } from './view.js' */

/**
 * A row of the keys that are limited. `isGone`: it has left the list, and its row is kept while the reader is in the table.
 * @typedef {DeniedKey & Listed & { isGone?: boolean }} DeniedRow
 */

/** @typedef {TopKey & Listed} TopRow */

/** @typedef {{ limiter: string, name: string, canAct: boolean, isHidden: boolean }} Listed */

/**
 * The key that the dialog shows.
 * @typedef {object} OpenKey
 * @property {string} limiter
 * @property {string} key
 * @property {boolean} isTyped whether the reader means a key by this text
 * @property {boolean} canAct
 * @property {import('./view.js').ActName} [act] the act that the reader has chosen
 * @property {string} length
 * @property {KeyView} [view]
 * @property {string | undefined} [error] why `view` is missing or old
 * @property {boolean | undefined} [isSending]
 * @property {string | undefined} [refusal] why the act was refused
 * @property {string | undefined} [done] the act that was carried out
 */

/**
 * @typedef {object} Search
 * @property {boolean} isRunning
 * @property {number} scanned
 * @property {readonly KeyView[]} keys
 * @property {string} [error]
 */

/**
 * @typedef {object} State
 * @property {View} [view]
 * @property {number} loadedAt when it arrived, by the clock of the browser
 * @property {{ readonly sinceAt: number, readonly message: string, readonly isFinal: boolean }} [failure]
 * @property {boolean} isPaused
 * @property {string} scope the name of a limiter, or '' for all
 * @property {'outcome' | 'limiter' | 'policy'} shape
 * @property {readonly DeniedRow[]} denied
 * @property {boolean} isHeld whether the order of `denied` is held
 * @property {Record<'denied' | 'requests' | 'denials', number>} lengths how many rows each list shows
 * @property {OpenKey} [open]
 * @property {Search} [search]
 * @property {string} said the last message for a screen reader
 */

/** The most rows of each list of keys that the server sends of a limiter. */
export const mostRows = 200

/** @type {State} */
export const state = {
  loadedAt: 0,
  isPaused: false,
  scope: '',
  shape: 'outcome',
  denied: [],
  isHeld: false,
  lengths: { denied: 10, requests: 8, denials: 8 },
  said: '',
}

/** @type {() => void} */
let draw = () => {}

/** @param {() => void} listener */
export function onChange(listener) {
  draw = listener
}

/**
 * Changes the state and draws the page. A value of undefined removes the property.
 * @param {{ [K in keyof State]?: State[K] | undefined }} changes
 */
export function update(changes) {
  Object.assign(state, changes)
  draw()
}

/** Changes the open key, unless the dialog has been closed or shows another key. @param {OpenKey} open @param {Partial<OpenKey>} changes */
export function updateOpen(open, changes) {
  if (state.open === undefined || !isSame(state.open, open)) return
  update({ open: { ...state.open, ...changes } })
}

/** The time by the clock of the server, which its data are in. */
export function serverNow() {
  const { view, loadedAt } = state
  return view === undefined ? Date.now() : view.at + Date.now() - loadedAt
}

/**
 * @param {OpenKey} a
 * @param {OpenKey} b
 */
function isSame(a, b) {
  return a.limiter === b.limiter && a.key === b.key
}
