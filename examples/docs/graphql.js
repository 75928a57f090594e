// @ts-nocheck -- the request has properties of the application
// The cost of a GraphQL query, on Express.
import assert from 'node:assert/strict'
// #region graphql
import { byIp, byUser, firstOf, rateLimit, tokenBucket } from '@sluice/express'
import express from 'express'
import { buildSchema, execute, parse, validate } from 'graphql'
import { getComplexity } from 'graphql-query-complexity/cjs'

const schema = buildSchema(`
  type Query { items(first: Int = 10): [Item!]! }
  type Item { name: String! related(first: Int = 10): [Item!]! }
`)

// A field costs 1, and a list as much as all its items.
const estimators = [
  ({ args, childComplexity }) => 1 + childComplexity * Math.max(1, args.first ?? 1),
]

const limit = rateLimit({
  policies: tokenBucket({ capacity: 1000, refill: 50, every: '1s' }),
  key: firstOf(
    byUser((req) => req.user?.id),
    byIp(),
  ),
  cost: (req) => req.operation.cost,
  body: (req, { retryAfterMs }) => ({
    errors: [{ message: 'Too many requests.', extensions: { code: 'RATE_LIMITED', retryAfterMs } }],
  }),
})

const app = express()
app.post('/graphql', express.json(), readOperation, limit, async (req, res, next) => {
  try {
    res.json(await execute({ schema, rootValue, ...req.operation }))
  } catch (error) {
    next(error)
  }
})

function readOperation(req, res, next) {
  try {
    const { query, variables: variableValues = {} } = req.body
    const document = parse(query, { maxTokens: 1000 })
    const errors = validate(schema, document)
    if (errors.length > 0) return res.status(400).json({ errors })
    const cost = getComplexity({ schema, query: document, variables: variableValues, estimators })
    if (!(cost <= 500)) throw new Error(`The query costs ${cost}, and the maximum is 500.`)
    req.operation = { document, variableValues, cost }
  } catch (error) {
    return res.status(400).json({ errors: [{ message: error.message }] })
  }
  next()
}

const item = { name: 'An item', related: () => [] }
const rootValue = { items: () => [item] }
// #endregion
import { visit } from './check/visit.js'

await visit(app, async (ask) => {
  const headers = { 'Content-Type': 'application/json' }
  const run = async (query, variables) => {
    const body = JSON.stringify({ query, variables })
    const response = await ask('/graphql', { method: 'POST', headers, body })
    return [response.status, await response.json(), response.headers.get('RateLimit')]
  }
  const [status, { data }, left] = await run('{ items { name } }')
  assert.deepEqual([status, data], [200, { items: [{ name: 'An item' }] }])
  assert.match(left, /;r=989;/)

  const nested = 'query ($n: Int) { items(first: $n) { related(first: $n) { name } } }'
  assert.match((await run(nested, { n: 15 }))[2], /;r=7[45]\d;/)
  for (const n of [1000, 2147483647]) assert.equal((await run(nested, { n }))[0], 400)
  assert.equal((await run('{ items(first: -5) { name } }'))[0], 200)
  for (const query of ['{ items', '{ unknown }', '', null]) assert.equal((await run(query))[0], 400)

  const statuses = []
  let last
  for (let i = 0; i < 6; i++) {
    last = await run(nested, { n: 15 })
    statuses.push(last[0])
  }
  assert.equal(statuses[0], 200)
  assert.deepEqual(statuses.slice(-2), [429, 429])
  assert.equal(last[1].errors[0].extensions.code, 'RATE_LIMITED')
})
