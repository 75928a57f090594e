// A Worker whose limits count in Redis over HTTP. They are made when the module loads. A test sends a header of its own, so that it counts alone.
import {
  byHeader,
  concurrency,
  fixedWindow,
  leakyQueue,
  memoryStore,
  rateLimit,
  redisStore,
  restClient,
} from '@sluice/fetch'
import { env } from 'cloudflare:workers'

const key = byHeader('X-Test')
const rest = restClient({ url: env.REST_URL, token: env.REST_TOKEN })
const store = redisStore(rest, { timeout: '10s' })
const hour = { window: '1h', key }

let waiting = 0
const hold = async () => {
  await new Promise((resolve) => setTimeout(resolve, 150))
  return new Response('Held.')
}
const hello = () => new Response('Hello.')

/** Limits that wait, over a store. */
const waits = (at) => ({
  wait: rateLimit({
    name: 'wait',
    key,
    store: at,
    wait: { max: '20s' },
    policies: fixedWindow({ limit: 1, window: '1s' }),
  })(hello),
  queue: rateLimit({
    name: 'queue',
    key,
    store: at,
    policies: leakyQueue({ leak: 1, every: '200ms', maxDelay: '20s' }),
  })(hello),
  lease: rateLimit({
    name: 'lease',
    key,
    store: at,
    wait: { max: '20s' },
    policies: concurrency({ limit: 1, lease: '60s' }),
  })(hold),
})

const paths = {
  take: rateLimit({ ...hour, name: 'take', limit: 25, store })(hello),
  hasty: rateLimit({
    ...hour,
    name: 'hasty',
    limit: 25,
    onStoreError: 'deny',
    store: redisStore(rest, { timeout: '400ms' }),
  })(hello),
  refund: rateLimit({ ...hour, name: 'refund', limit: 1, count: 'failures', store })(hello),
  rest: waits(store),
  memory: waits(memoryStore()),
  waiting: () => new Response(`${waiting}`),
}

export default {
  async fetch(request, bindings, context) {
    const [, ...names] = new URL(request.url).pathname.split('/')
    const handler = names.reduce((at, name) => at?.[name], paths) ?? (() => new Response('Ready.'))
    if (typeof handler !== 'function') return new Response('Ready.')
    return handler(request, bindings, { waitUntil })

    function waitUntil(work) {
      waiting++
      context.waitUntil(work)
    }
  },
}
