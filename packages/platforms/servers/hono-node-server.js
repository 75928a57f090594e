import { serve } from '@hono/node-server'

const { default: app } = await import(process.env.MODULE)
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
