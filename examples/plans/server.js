// An Express server that limits each user by a plan, per minute and per day. The requests of a user count together, from every address. A user
// who changes plan keeps the used units, and the limits of the new plan apply at once.
import { byUser, calendarWindow, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'

const { PORT: port = '3000' } = process.env

const plans = { free: plan(5, 20), pro: plan(50, 1000) }

// In a real application: a session, or a token that was verified.
const users = new Map([
  ['ada-token', { id: 'ada', plan: 'free' }],
  ['bob-token', { id: 'bob', plan: 'pro' }],
])

const app = express()

// Authentication comes first, because the key is the user.
app.use((request, response, next) => {
  request.user = users.get(request.get('Authorization')?.replace('Bearer ', ''))
  if (request.user !== undefined) return next()
  response
    .set('WWW-Authenticate', 'Bearer')
    .status(401)
    .type('text')
    .send('The token is missing or unknown.\n')
})

// Not limited: a user over the limit can still change the plan.
app.post('/upgrade', (request, response) => {
  request.user.plan = 'pro'
  response.type('text').send('You are on the pro plan now.\n')
})

app.use(
  rateLimit({
    name: 'plans',
    policies: (request) => plans[request.user.plan],
    key: byUser((request) => request.user.id),
  }),
)

app.get('/', (request, response) => {
  const { minute, day } = request.rateLimit.policies
  const left = `${minute.remaining} requests left in this minute, ${day.remaining} today`
  response.type('text').send(`Hello ${request.user.id}, ${left}.\n`)
})

function plan(perMinute, perDay) {
  return {
    minute: slidingWindow({ limit: perMinute, window: '1m' }),
    day: calendarWindow({ limit: perDay, period: 'day', timeZone: 'Europe/Berlin' }),
  }
}

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}/`
  console.log(`Listening on ${url}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -i -H 'Authorization: Bearer ada-token' ${url}; done
  curl -i -H 'Authorization: Bearer bob-token' ${url}

A request without a token receives a 401. Ada, on the free plan, may send five requests a minute, and Bob, on the pro plan, fifty.
After an upgrade, the used units of Ada still count, and the new limits apply at once:

  curl -X POST -H 'Authorization: Bearer ada-token' ${url}upgrade`)
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
