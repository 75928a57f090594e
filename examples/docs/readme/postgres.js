import { rateLimit } from '@sluice/express'
import { postgresStore } from '@sluice/postgres'
import express from 'express'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/app',
  connectionTimeoutMillis: 1000,
  query_timeout: 5000,
})
pool.on('error', (error) => console.error(`PostgreSQL: ${error.message}`))

const app = express()
const store = postgresStore(pool, { migrate: true })
app.use(rateLimit({ limit: 100, window: '1m', store }))

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
