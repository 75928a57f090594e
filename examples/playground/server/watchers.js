/** As many pages can watch at once; each holds a connection. */
const mostWatchers = 200

/** Tells pages, by server-sent events, what happens in the run that each of them watches: in the order in which it happens. */
export function createWatchers() {
  const watching = new Set()

  function serve({ query: { run } }, response) {
    if (typeof run !== 'string' || watching.size >= mostWatchers) {
      response.status(typeof run === 'string' ? 503 : 400).end()
      return
    }
    const watcher = { run, response }
    watching.add(watcher)
    response.once('close', () => watching.delete(watcher))
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    response.write(message({ type: 'hello', at: Date.now() }))
  }

  function tell(run, event) {
    for (const watcher of watching) {
      if (watcher.run === run) watcher.response.write(message(event))
    }
  }

  return { serve, tell }
}

function message(event) {
  return `data: ${JSON.stringify(event)}\n\n`
}
