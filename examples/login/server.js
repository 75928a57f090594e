// A login on Express that limits wrong passwords only: twenty an hour for one address, and three in a row for one account. Then the account is
// locked, for longer each time, and a client can continue only if it solves a challenge.
// #region login
import { byIp, fixedWindow, notLimited, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'

// In a real application: hashes of passwords, and a captcha in place of a sum.
const passwords = new Map([['ada', 'lovelace']])
const challenge = { question: 'What is 6 times 7?', answer: '42' }

const logins = rateLimit({
  name: 'login',
  policies: {
    address: slidingWindow({ limit: 20, window: '1h' }),
    // The window is not longer than the block, so that three further attempts are possible after it.
    account: fixedWindow({
      limit: 3,
      window: '1m',
      block: { for: '1m', escalate: 2, max: '1d' },
    }),
  },
  key: { address: byIp(), account: (request) => accountOf(request) },
  count: 'failures',
  // A success does not reset the count of the address: an attacker may have an account of their own.
  resetOn: { success: ['account'] },
  onDenied(request, response, next, { deniedBy }) {
    if (deniedBy.includes('address')) {
      return response.status(429).json({ error: 'There were too many attempts.' })
    }
    if (request.body.answer === challenge.answer) return next()
    response.status(429).json({ error: 'This account is locked.', challenge: challenge.question })
  },
})

const app = express()
app.use(express.urlencoded({ extended: false }))

app.post('/login', requireName, logins, (request, response, next) => {
  const { name, password } = request.body
  if (passwords.get(name) === password) return greet(request, response, next)
  response.status(401).json({ error: 'The name or the password is wrong.' })
})

async function greet(request, response, next) {
  try {
    // `resetOn` resets the failures. After a solved challenge, the account is still blocked.
    if (!request.rateLimit.allowed) {
      const keys = { account: accountOf(request), address: notLimited }
      await logins.limiter.reset(keys, { unblock: true })
    }
    response.json({ hello: request.body.name })
  } catch (error) {
    next(error)
  }
}

function requireName({ body }, response, next) {
  if (typeof body?.name === 'string' && body.name !== '') return next()
  response.status(400).json({ error: 'The name is missing.' })
}

function accountOf({ body }) {
  return ['account', body.name]
}
// #endregion

const { PORT: port = '3000' } = process.env
const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}/login`
  console.log(`Listening on ${url}. Try:

  curl -i -d name=ada -d password=lovelace ${url}
  for i in 1 2 3 4; do curl -i -d name=ada -d password=guessed ${url}; done
  curl -i -d name=ada -d password=lovelace ${url}
  curl -i -d name=ada -d password=lovelace -d answer=42 ${url}

Three wrong passwords receive a 401. Then the account is locked: every request receives a 429, also with the right password, until
the challenge is solved or the block ends.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
