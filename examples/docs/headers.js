// Prints the headers of each style, for an allowed and for a denied request.
import assert from 'node:assert/strict'

const clock = () => Date.UTC(2030, 0, 1, 12, 20)

// #region styles
import { rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'

const app = express()
const limits = {
  policies: {
    second: slidingWindow({ limit: 10, window: '1s' }),
    hour: slidingWindow({ limit: 1000, window: '1h' }),
  },
  clock, // it does not advance, so that the output is always the same
}
app.get('/draft', rateLimit(limits))
app.get('/draft-7', rateLimit({ ...limits, headers: 'draft-7' }))
app.get('/draft-6', rateLimit({ ...limits, headers: 'draft-6' }))
app.get('/legacy', rateLimit({ ...limits, headers: 'legacy' }))
app.get('/legacy-epoch', rateLimit({ ...limits, headers: 'legacy-epoch' }))
app.get('/list', rateLimit({ ...limits, headers: ['draft', 'legacy'] }))
app.get('/none', rateLimit({ ...limits, headers: 'none' }))
// #endregion
// #region body
app.get(
  '/own',
  rateLimit({
    limit: 2,
    window: '1m',
    statusCode: 503,
    body: (request, { retryAfterMs }) => ({ error: 'busy', path: request.path, retryAfterMs }),
  }),
)
// #endregion
import { visit } from './check/visit.js'

app.use((_request, response) => void response.send('Hello.\n'))

await visit(app, async (ask) => {
  const written = async (path) => {
    const { status, headers } = await ask(path)
    const lines = [...headers].filter(([name]) => /ratelimit|retry/.test(name))
    return [`${path} ${status}`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  }
  const styles = ['/draft', '/draft-7', '/draft-6', '/legacy', '/legacy-epoch', '/list', '/none']
  for (const path of styles) {
    const [first] = [await written(path)]
    let last = first
    for (let i = 1; i < 11; i++) last = await written(path)
    console.log([...first, '', ...last, ''].join('\n'))
    assert.equal(first[0], `${path} 200`)
    assert.equal(last[0], `${path} 429`)
  }
  for (const [limit, accept] of [
    ['/own', '*/*'],
    ['/own', 'text/plain'],
  ]) {
    await ask(limit)
    await ask(limit)
    const response = await ask(limit, { headers: { Accept: accept } })
    assert.equal(response.status, 503)
    assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/)
    console.log(response.headers.get('Content-Type'), await response.text())
  }
})
