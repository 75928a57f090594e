import { DatabaseSync } from 'node:sqlite'
import { rateLimit } from '@sluice/express'
import { sqliteStore } from '@sluice/sqlite'
import express from 'express'

const store = sqliteStore(new DatabaseSync('limits.db'))

const app = express()
app.use(rateLimit({ name: 'api', limit: 100, window: '1m', store }))

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
