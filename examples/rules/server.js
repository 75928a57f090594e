// An Express server with its limits in rules.yaml. Edit that file while the server runs: the next requests follow the new rules. If the file has a
// mistake, the server prints it and keeps its rules.
import { subscribe } from 'node:diagnostics_channel'
import { rateLimit } from '@sluice/express'
import { fileSource, loadRules } from '@sluice/rules'
import express from 'express'

const { PORT: port = '3000', RULES: path = 'rules.yaml' } = process.env

// #region told
subscribe('sluice:rules', ({ state, version, error }) => {
  console.log(
    error === undefined ? `rules ${state}: ${version}` : `rules ${state}: ${error.message}`,
  )
})
// #endregion

// In a real application: a session, or a token that was verified.
const plans = new Map([
  ['ada', 'free'],
  ['bob', 'pro'],
  ['acme', 'pro'],
])

// #region load
const rules = await loadRules({
  source: fileSource(path, { every: '2s' }),
  values: {
    user: (request) => request.get('X-User'),
    plan: (request) => plans.get(request.get('X-User')) ?? 'free',
  },
})

const app = express()
// #endregion

// In front of the limits: a page for the people who run the server.
app.get('/rules', (_request, response) => {
  const { version, stale } = rules.state()
  response.json({ version, stale: stale?.message, rules: Object.fromEntries(rules.stats()) })
})

// #region load
app.use(rateLimit({ rules }))
// #endregion

app.get('/health', (_request, response) => {
  response.type('text').send('Healthy.\n')
})

app.get('/search', (_request, response) => {
  response.type('text').send('Found nothing.\n')
})

app.get('/api/*path', (request, response) => {
  response.json({ path: request.path, left: request.rateLimit?.remaining })
})

app.post('/login', (_request, response) => {
  response.status(401).type('text').send('The password is wrong.\n')
})

app.post('/posts', (request, response) => {
  const earns = !request.rateLimit?.tags.includes('no-points')
  response.status(201).json({ points: earns ? 10 : 0 })
})

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}`
  console.log(`Listening on ${url}. Try:

  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' -H 'X-User: ada' ${url}/api/items; done

The first five requests get a 200, the sixth a 429. Change "free: 5" in rules.yaml to "free: 10", and ask again after two seconds.

  curl -s ${url}/rules      which rules apply, and how often each was asked`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    rules.close()
  })
}
