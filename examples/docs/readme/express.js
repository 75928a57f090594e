import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
app.use(rateLimit({ limit: 100, window: '1m' }))

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
