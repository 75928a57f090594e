/** The number of pages that can watch at once. Each has a connection. */
const mostWatchers = 200

/** Sends each page the events of the run that it watches, in order, as server-sent events. */
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
