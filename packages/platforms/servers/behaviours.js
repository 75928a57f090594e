// The behaviours that every runtime must show, one path each. A test sends a header of its own, so that it counts alone, beside the address.
import { byHeader, byIp, concurrency, memoryStore, rateLimit } from '@sluice/fetch'

const isWorker = globalThis.navigator?.userAgent === 'Cloudflare-Workers'

export default { fetch: behaviours(isWorker ? { header: 'CF-Connecting-IP' } : undefined) }

/** The handler of all paths, of which the last segment counts. */
export function behaviours(address) {
  const store = memoryStore()
  const common = { window: '1h', store, address, key: [byIp(), byHeader('X-Test')] }
  const twice = rateLimit({ ...common, name: 'twice', limit: 2 })
  const failures = rateLimit({ ...common, name: 'failures', limit: 1, count: 'failures' })
  const { window: _window, ...untimed } = common
  const streams = rateLimit({
    ...untimed,
    name: 'streams',
    policies: concurrency({ limit: 1, lease: '1h' }),
  })

  const paths = {
    text: twice(() => new Response('Hello.')),
    raw: twice(() => new Response(new TextEncoder().encode('{}'), { status: 201 })),
    redirect: twice((request) => Response.redirect(new URL('/elsewhere', request.url), 302)),
    proxied: twice((request) => fetch(parameter(request, 'from'))),
    thrown: twice(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- frameworks do
      throw new Response('Gone.', { status: 410 })
    }),
    failures: failures(
      (request) => new Response('', { status: Number(parameter(request, 'status')) }),
    ),
    // Miniflare compresses other types, and keeps a chunk until there are more.
    stream: streams(
      () => new Response(endless(), { headers: { 'Content-Type': 'text/event-stream' } }),
    ),
    two: rateLimit({ ...common, name: 'many', limit: 9 })(twice(() => new Response('Hello.'))),
    cors: withCors(twice(() => new Response('Hello.'))),
    'no-address': unknownAddress(rateLimit({ name: 'unknown', limit: 2, window: '1h', store })),
  }

  return function behave(request, ...rest) {
    const name = new URL(request.url).pathname.split('/').at(-1)
    return Object.hasOwn(paths, name) ? paths[name](request, ...rest) : new Response('Ready.')
  }
}

function parameter(request, name) {
  return new URL(request.url).searchParams.get(name)
}

function endless() {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      controller.enqueue(new TextEncoder().encode('more\n'))
    },
  })
}

/** A middleware around the limit, which also says whether the response has a body. */
function withCors(handler) {
  return async (...call) => {
    const response = await handler(...call)
    const body = response.body === null ? 'none' : 'some'
    response.headers.set('Access-Control-Allow-Origin', '*')
    response.headers.set('X-Body', body)
    return response
  }
}

/** A request that comes from no server, so that nothing reports its address. */
function unknownAddress(limit) {
  const limited = limit(() => new Response('Hello.'))
  return async ({ url }) => {
    try {
      return await limited(new Request(url))
    } catch ({ code, message }) {
      return Response.json({ code, message }, { status: 500 })
    }
  }
}
