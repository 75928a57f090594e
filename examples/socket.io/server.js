// A socket.io server: each address can keep three connections open, and each connection can send five events in ten seconds. With REDIS_URL set, all
// processes that use that Redis count together; otherwise each process counts separately.
import { createServer } from 'node:http'
import {
  concurrency,
  createLimiter,
  limitConnections,
  limitEvents,
  memoryStore,
  redisStore,
  slidingWindow,
} from '@sluice/sockets'
import { Redis } from 'ioredis'
import { Server } from 'socket.io'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))
const store = redis === undefined ? memoryStore() : redisStore(redis)

const connections = createLimiter({
  name: 'connections',
  policies: concurrency({ limit: 3, lease: '1m' }),
  store,
})
const events = createLimiter({
  name: 'events',
  policies: slidingWindow({ limit: 5, window: '10s' }),
  store,
})

const page = `<!doctype html><title>Limited events</title>
<button>Send an event</button> <ol></ol>
<script src="/socket.io/socket.io.js"></script>
<script>
  const socket = io()
  const say = (what) => document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: what }))
  socket.on('connect', () => say('connected'))
  socket.on('connect_error', ({ message, data }) => say(message + ' ' + JSON.stringify(data)))
  document.querySelector('button').onclick = async () => say(JSON.stringify(await socket.emitWithAck('hello')))
</script>
`

const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html').end(page)
})
const io = new Server(server)
io.use(limitConnections(connections))
io.use(limitEvents(events))

io.on('connection', (socket) => {
  socket.on('hello', (acknowledge) => acknowledge('Hello.'))
})

server.listen(Number(port), () => {
  console.log(`Listening on http://localhost:${port}/, counting in ${redis === undefined ? 'memory' : 'Redis'}.

Open the page, and send events: the first five are answered, the sixth is denied, with the wait. Open it in three more tabs: the last one
is not connected, until you close another.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    void io.close()
    redis?.disconnect()
  })
}
