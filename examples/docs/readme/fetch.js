import { serve } from '@hono/node-server'
import { rateLimit } from '@sluice/fetch'

const limit = rateLimit({ limit: 100, window: '1m' })

serve({ fetch: limit(() => new Response('Hello')), port: 3000 })
