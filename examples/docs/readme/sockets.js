import { concurrency, createLimiter, gcra, limitConnections, limitEvents } from '@sluice/sockets'
import { Server } from 'socket.io'

const connections = createLimiter({
  name: 'connections',
  policies: concurrency({ limit: 5, lease: '1m' }),
})
const events = createLimiter({
  name: 'events',
  policies: gcra({ limit: 10, window: '1s', burst: 20 }),
})

const io = new Server(3000)
io.use(limitConnections(connections)) // at most 5 at once for each address
io.use(limitEvents(events)) // 10 a second for each connection, and up to 20 at once

io.on('connection', (socket) => {
  socket.on('hello', (acknowledge) => acknowledge('Hello'))
})
