import { draw } from './chart.js'
import { openRun } from './conversation.js'
import { fullLevel } from './run.js'

const byId = (id) => document.getElementById(id)
const calm = matchMedia('(prefers-reduced-motion: reduce)')

/** The part of the page that sends requests to the real server. `question` returns the policy: { algorithm, numbers, levelName }. */
export function createLive(question) {
  let opening
  let run
  let origin
  let sent = 0
  let replaying = false
  let drawing = false

  /** Starts again with a new client. */
  async function begin() {
    run?.close()
    run = undefined
    origin = undefined
    sent = 0
    showNothing()
    const opened = openRun({ onChange: changed, onLost: lost })
    opening = opened
    const next = await opened
    // If two runs start at the same time, the second one is used.
    if (opening !== opened) return next.close()
    run = next
    show()
  }

  /** Shows the empty state. */
  function show() {
    if (run === undefined) return
    byId('curl').textContent = `curl -i '${new URL(run.urlOf(question()), document.baseURI)}'`
    if (!drawing) frame()
  }

  async function send() {
    try {
      if (run === undefined) await begin()
      const { response, body } = await run.ask(question())
      sent += 1
      showAnswer(response, body)
      if (!replaying) byId('said').textContent = inWords(sent, response)
      return response.ok
    } catch {
      lost()
      return false
    }
  }

  async function grant() {
    try {
      if (run === undefined) await begin()
      byId('said').textContent = await run.grant(question())
    } catch {
      lost()
    }
  }

  async function replay(moments) {
    await begin()
    replaying = true
    byId('said').textContent = `Replaying ${moments.length} requests.`
    const from = performance.now()
    const answers = await Promise.all(
      moments.map(async (t) => {
        await new Promise((done) => setTimeout(done, t - (performance.now() - from)))
        return send()
      }),
    )
    replaying = false
    const allowed = answers.filter(Boolean).length
    byId('said').textContent = `The server allowed ${allowed} of ${answers.length} requests.`
  }

  function changed() {
    origin ??= run.requests[0].t
    const { decided, agreed } = run.tally
    const agreeing = agreed === decided ? 'all' : `only ${agreed}`
    byId('agreement').textContent =
      `Decisions by the server: ${decided}. The same core in your browser agrees with ${agreeing} of them.`
    if (drawing) return
    drawing = true
    requestAnimationFrame(frame)
  }

  function lost() {
    run?.close()
    run = undefined
    byId('said').textContent = 'The server is unavailable. Send a request to try again.'
  }

  /** Draws a frame, and the next one while something moves. */
  function frame() {
    const { algorithm, numbers, levelName } = question()
    const windowMs = numbers.window * 1000
    const length = 3 * windowMs
    const { requests = [], levels = [], tally } = run ?? {}
    const last = requests.at(-1)?.t
    drawing = last !== undefined && run.now() < last + length
    run?.read()
    const now = last === undefined ? undefined : run.now()
    const from = last === undefined ? 0 : Math.max(origin, now - length)
    const full = fullLevel(algorithm, numbers)
    draw(byId('live'), { from, length, windowMs, origin, now, requests, levels, full, levelName })
    if (last === undefined) return
    byId('live').setAttribute('aria-label', `${tally.allowed} of ${tally.decided} requests allowed`)
    run.forget(from - length)
    if (!drawing) return
    // With reduced motion, the chart moves in steps.
    if (calm.matches) setTimeout(frame, 500)
    else requestAnimationFrame(frame)
  }

  return { begin, send, grant, replay, show }
}

/** The initial texts of the page. */
const initial = ['said', 'agreement', 'headers'].map((id) => [id, byId(id).textContent])
const initialLabel = byId('live').getAttribute('aria-label')

function showNothing() {
  for (const [id, text] of initial) byId(id).textContent = text
  byId('live').setAttribute('aria-label', initialLabel)
  delete byId('headers').dataset.status
}

const shown = ['RateLimit-Policy', 'RateLimit', 'Retry-After', 'Content-Type']

function showAnswer({ status, statusText, headers }, body) {
  const fields = shown.filter((name) => headers.has(name))
  const lines = fields.map((name) => `${name}: ${headers.get(name)}`)
  byId('headers').dataset.status = status
  byId('headers').textContent = [
    `HTTP/1.1 ${status} ${statusText}`,
    ...lines,
    '',
    body.trim(),
  ].join('\n')
}

function inWords(sent, { ok, status, headers }) {
  if (ok) return `Request ${sent}: allowed.`
  const wait = headers.get('Retry-After')
  return `Request ${sent}: denied with ${status}. Try again in ${wait} ${wait === '1' ? 'second' : 'seconds'}.`
}
