// An Express server that allows each user what their plan says: so many requests in a minute, and so many in a day. All that a user
// sends counts, from wherever it comes; who changes plan keeps what is used, and has the new plan's limits at once.
import { byUser, calendarWindow, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'

const { PORT: port = '3000' } = process.env

// #region plans
const plans = { free: plan(5, 20), pro: plan(50, 1000) }
// #endregion

// In a real application: a session, or a token that was verified.
const users = new Map([
  ['ada-token', { id: 'ada', plan: 'free' }],
  ['bob-token', { id: 'bob', plan: 'pro' }],
])

const app = express()

// Who it is comes first, for the limit goes by it.
app.use((request, response, next) => {
  request.user = users.get(request.get('Authorization')?.replace('Bearer ', ''))
  if (request.user !== undefined) return next()
  response.set('WWW-Authenticate', 'Bearer').status(401).type('text').send('Who are you?\n')
})

// The way out of a limit does not lie behind it.
app.post('/upgrade', (request, response) => {
  request.user.plan = 'pro'
  response.type('text').send('You are on the pro plan now.\n')
})

// #region limit
app.use(
  rateLimit({
    name: 'plans',
    policies: (request) => plans[request.user.plan],
    key: byUser((request) => request.user.id),
  }),
)
// #endregion

app.get('/', (request, response) => {
  const { minute, day } = request.rateLimit.policies
  const left = `${minute.remaining} requests left in this minute, ${day.remaining} today`
  response.type('text').send(`Hello ${request.user.id}, ${left}.\n`)
})

// #region plans
function plan(perMinute, perDay) {
  return {
    minute: slidingWindow({ limit: perMinute, window: '1m' }),
    day: calendarWindow({ limit: perDay, period: 'day', timeZone: 'Europe/Berlin' }),
  }
}
// #endregion

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}/`
  console.log(`Listening on ${url}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -i -H 'Authorization: Bearer ada-token' ${url}; done
  curl -i -H 'Authorization: Bearer bob-token' ${url}

Nobody in particular is answered 401. Ada, on the free plan, is let in five times a minute; Bob, who pays, fifty times.
What Ada has used counts on, and her new limits apply at once, when she upgrades:

  curl -X POST -H 'Authorization: Bearer ada-token' ${url}upgrade`)
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
