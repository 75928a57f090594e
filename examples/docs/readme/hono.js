import { serve } from '@hono/node-server'
import { rateLimit } from '@sluice/hono'
import { Hono } from 'hono'

const app = new Hono()
app.use(rateLimit({ limit: 100, window: '1m' }))

app.get('/', (c) => c.text('Hello'))
serve({ fetch: app.fetch, port: 3000 })
