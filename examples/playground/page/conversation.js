import { algorithms } from './policies.js'
import { createRun } from './run.js'

/** One run with the server: sends requests, and follows the events of the server about them. */
export async function openRun({ onChange, onLost }) {
  // crypto.randomUUID is missing over plain HTTP, such as on a phone.
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

  /** The event with the shortest delay gives the best estimate of the difference between the two clocks. */
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
    else if (event.type === 'grant') mirror.grant(event.at, policy, event.units)
    else decide(event)
    read(event.at)
    if (requests.length > 0) onChange()
  }

  function decide({ at, allowed }) {
    const decision = mirror.decide(at, policy)
    const { isGranted, delayMs } = decision
    requests.push({ t: at, allowed, isGranted, delayMs: allowed ? delayMs : 0 })
    tally.decided += 1
    tally.allowed += allowed ? 1 : 0
    tally.agreed += decision.allowed === allowed ? 1 : 0
  }

  /** Reads the level at a moment, by default the present one. */
  function read(t = now()) {
    if (policy !== undefined && t >= (levels.at(-1)?.t ?? 0))
      levels.push({ t, ...mirror.level(t, policy) })
  }

  /** The estimated time of the server. */
  function now() {
    return Math.floor(performance.now() + ahead)
  }

  async function ask(question) {
    const response = await fetch(urlOf(question), { cache: 'no-store' })
    return { response, body: await response.text() }
  }

  /** Gives this client more units on the server. */
  async function grant(question) {
    const response = await fetch(urlOf(question, 'grant'), { method: 'POST' })
    return response.text()
  }

  /** The charts alone show the grant that is chosen as a number. */
  function urlOf({ algorithm, numbers }, path = 'ask') {
    const { granted: _, ...names } = algorithms[algorithm].numbers
    const named = Object.keys(names).map((number) => [number, numbers[number]])
    return `${path}?${new URLSearchParams([['run', run], ['algorithm', algorithm], ...named])}`
  }

  /** Removes requests and levels before a moment, which are not visible any longer. */
  function forget(before) {
    for (const list of [requests, levels]) {
      while (list.length > 1 && list[0].t < before) list.shift()
    }
  }

  return {
    requests,
    levels,
    tally,
    ask,
    grant,
    urlOf,
    read,
    now,
    forget,
    close: () => events.close(),
  }
}
