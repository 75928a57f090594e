// A login on Express that limits wrong passwords, and nothing else: twenty an hour from one address, and three in a row for one account.
// Then the account is locked, for longer each time, and only who solves a challenge may try on.
import { fixedWindow, memoryStore, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'

const { PORT: port = '3000' } = process.env

// In a real application: hashes of passwords, and a captcha in the place of a sum.
const passwords = new Map([['ada', 'lovelace']])
const challenge = { question: 'What is 6 times 7?', answer: '42' }

const store = memoryStore()

// #region address
// No success resets this one: whoever guesses has an account of their own.
const perAddress = rateLimit({
  name: 'login by address',
  policy: slidingWindow({ limit: 20, window: '1h' }),
  count: 'failures',
  store,
})
// #endregion

// #region account
const perAccount = rateLimit({
  name: 'login by account',
  // The window is no longer than the block, so that three further tries wait behind it.
  policy: fixedWindow({
    limit: 3,
    window: '1m',
    block: { for: '1m', escalate: 2, max: '1d' },
  }),
  store,
  key: (request) => accountOf(request),
  count: 'failures',
  resetOn: 'success',
  onDenied(request, response, next) {
    if (request.body.answer === challenge.answer) return next()
    response.status(429).json({ error: 'This account is locked.', challenge: challenge.question })
  },
})
// #endregion

const app = express()
app.use(express.urlencoded({ extended: false }))

// #region route
app.post('/login', withName, perAddress, perAccount, (request, response) => {
  const { name, password } = request.body
  if (passwords.get(name) === password) return letIn(request, response)
  response.status(401).json({ error: 'This is not the password.' })
})
// #endregion

// #region lock
async function letIn(request, response) {
  // A success forgets the failures. A lock that a solved challenge went around has to be opened as well.
  if (!request.rateLimit.allowed) {
    await perAccount.limiter.reset(accountOf(request), { unblock: true })
  }
  response.json({ hello: request.body.name })
}
// #endregion

function withName({ body }, response, next) {
  if (typeof body?.name === 'string' && body.name !== '') return next()
  response.status(400).json({ error: 'Who are you?' })
}

function accountOf({ body }) {
  return ['account', body.name]
}

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}/login`
  console.log(`Listening on ${url}. Try:

  curl -i -d name=ada -d password=lovelace ${url}
  for i in 1 2 3 4; do curl -i -d name=ada -d password=guessed ${url}; done
  curl -i -d name=ada -d password=lovelace ${url}
  curl -i -d name=ada -d password=lovelace -d answer=42 ${url}

Three wrong passwords are answered 401. Then the account is locked: 429, for the right password too, until the
challenge is solved or the lock ends.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
