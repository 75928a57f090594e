import { algorithms } from './policies.js'
import { createRun } from './run.js'

/** Speaks to the server in one run: sends its requests, and follows what the server says became of each. */
export async function openRun({ onChange, onLost }) {
  // Not by crypto.randomUUID: a phone that looks at this over plain HTTP has none.
  const run = Math.random().toString(36).slice(2, 10)
  const mirror = createRun()
  const requests = []
  const levels = []
  const tally = { decided: 0, agreed: 0, allowed: 0 }
  let ahead = -Infinity
  let policy

  const events = new EventSource(`events?run=${run}`)
  events.addEventListener('message', ({ data }) => follow(JSON.parse(data)))
  await new Promise((opened, failed) => {
    events.addEventListener('message', opened, { once: true })
    events.addEventListener('error', () => {
      events.close()
      failed(new Error('the server cannot be reached'))
      onLost()
    })
  })

  /** Of what the server says of its time, what came fastest tells best how far apart the two clocks are. */
  function heard(at) {
    ahead = Math.max(ahead, at - performance.now())
  }

  function follow(event) {
    heard(event.at)
    if (event.type === 'hello') return
    policy = event.policy ?? policy
    while (levels.length > 0 && levels.at(-1).t > event.at) levels.pop()
    read(event.at)
    if (event.type === 'release') mirror.release(event.at)
    else decide(event)
    read(event.at)
    if (requests.length > 0) onChange()
  }

  function decide({ at, allowed }) {
    const decision = mirror.decide(at, policy)
    requests.push({ t: at, allowed, delayMs: allowed ? decision.delayMs : 0 })
    tally.decided += 1
    tally.allowed += allowed ? 1 : 0
    tally.agreed += decision.allowed === allowed ? 1 : 0
  }

  /** Reads the level at a moment; the present one, where none is said. */
  function read(t = now()) {
    if (policy !== undefined && t >= (levels.at(-1)?.t ?? 0))
      levels.push({ t, ...mirror.level(t, policy) })
  }

  /** The time of the server, as far as it is known. */
  function now() {
    return Math.floor(performance.now() + ahead)
  }

  async function ask(question) {
    const response = await fetch(urlOf(question), { cache: 'no-store' })
    return { response, body: await response.text() }
  }

  function urlOf({ algorithm, numbers }) {
    const named = Object.keys(algorithms[algorithm].numbers).map((number) => [
      number,
      numbers[number],
    ])
    return `ask?${new URLSearchParams([['run', run], ['algorithm', algorithm], ...named])}`
  }

  /** What was before a moment is out of sight. */
  function forget(before) {
    for (const list of [requests, levels]) {
      while (list.length > 1 && list[0].t < before) list.shift()
    }
  }

  return { requests, levels, tally, ask, urlOf, read, now, forget, close: () => events.close() }
}
