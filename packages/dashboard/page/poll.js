/**
 * Calls `load` again and again while the page is visible, each time a while after the last call has ended.
 * @param {() => Promise<void>} load must not reject
 * @param {{ everyMs: number, isWanted: () => boolean }} options
 */
export function poll(load, { everyMs, isWanted }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let isLoading = false

  function now() {
    clearTimeout(timer)
    if (isLoading || document.hidden || !isWanted()) return
    isLoading = true
    void loadOnce()
  }

  async function loadOnce() {
    await load()
    isLoading = false
    timer = setTimeout(now, everyMs)
  }

  document.addEventListener('visibilitychange', now)
  now()
  return { now }
}
