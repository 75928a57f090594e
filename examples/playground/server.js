// A page that shows the decisions of each algorithm. This server limits the page's requests with Sluice and sends the page the moment of each decision.
// The page makes the same decisions with the same core in the browser, and draws them.
import { subscribe } from 'node:diagnostics_channel'
import { fileURLToPath } from 'node:url'
import { rateLimit } from '@sluice/express'
import express from 'express'
import { hasGrants, readQuestion } from './page/policies.js'
import { createModules } from './server/browser-modules.js'
import { createWatchers } from './server/watchers.js'

const { PORT: port = '3000' } = process.env
const page = fileURLToPath(new URL('page/', import.meta.url))

const app = express()
const modules = createModules('@sluice/core', import.meta.url)
const watchers = createWatchers()

app.get('/', modules.page(`${page}index.html`))
app.use(express.static(page))
app.use('/modules', modules.serve)
app.get('/events', watchers.serve)

// The current question. The store is in memory and every option below is synchronous, so no other request can interfere.
let question

const limit = rateLimit({
  policies: () => question.policy,
  key: () => question.run,
  clock: () => question.at,
})

app.get('/ask', read, limit, answer)
app.post('/grant', read, grant)

subscribe('sluice:decision', ({ decision: { allowed } }) => {
  const { run, at, policy } = question
  watchers.tell(run, { type: 'decision', at, allowed, policy })
})

function read(request, response, next) {
  try {
    question = { ...readQuestion(request.query), at: Date.now() }
  } catch (error) {
    response.status(400).type('text').send(`${error.message}\n`)
    return
  }
  response.locals.question = question
  next()
}

/** Gives a client more units, as support does for a customer. They are taken when the limit itself would deny. */
function grant(_request, response) {
  const { run, at, policy } = question
  const units = 5
  if (!hasGrants(policy.kind)) {
    response.status(400).type('text').send(`${policy.kind} has no grants.\n`)
    return
  }
  // A memory store grants at once.
  void limit.limiter.grant(run, units, { for: '1m', policies: policy })
  watchers.tell(run, { type: 'grant', at, policy, units })
  response.type('text').send(`Granted ${units} more for a minute.\n`)
}

function answer({ rateLimit: { lease, remaining, limit, policies } }, response) {
  const { granted = 0 } = policies.default
  const more = granted === 0 ? '' : `, and ${granted} granted`
  const end = () =>
    response.end(`Hello. You have ${remaining - granted} of ${limit} left${more}.\n`)
  response.type('text')
  if (lease === undefined) end()
  else work(response, end)
}

/** The work of a request with `concurrency`. The request keeps its unit until the response ends or the client disconnects. */
function work(response, end) {
  const { run, workMs } = response.locals.question
  const timer = setTimeout(() => end(), workMs)
  let ended = false
  for (const event of ['finish', 'close']) {
    response.once(event, () => {
      clearTimeout(timer)
      if (!ended) watchers.tell(run, { type: 'release', at: Date.now() })
      ended = true
    })
  }
  response.flushHeaders()
}

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${server.address().port}/`
  console.log(`Open ${url}

or send the requests of the page from a terminal; the sixth is denied:

  for i in 1 2 3 4 5 6; do curl -i '${url}ask?run=mine&algorithm=slidingWindow&limit=5&window=10'; done`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    // Otherwise the watching pages stay connected.
    server.closeAllConnections()
  })
}
