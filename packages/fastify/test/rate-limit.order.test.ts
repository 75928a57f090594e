import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { memoryStore, rateLimit, type Hook } from '../src/index.js'
import { create, serve, statuses, times, type Send } from './apps.js'

declare module 'fastify' {
  interface FastifyRequest {
    account?: string
  }
}

const hello = () => 'hello'
const hooks: Hook[] = ['onRequest', 'preParsing', 'preValidation', 'preHandler']

/** The authentication: the account is in the query. */
async function authenticate(request: FastifyRequest): Promise<void> {
  request.account = new URL(request.url, 'http://localhost').search
}

/** One request a minute for each account, and for all clients without an account together. */
const perAccount = (hook: Hook) => ({
  ...times(1),
  hook,
  key: ({ account = 'nobody' }: FastifyRequest) => account,
})

function addHook(instance: object, name: Hook, handler: object): void {
  // Each hook has its own type.
  const { addHook } = instance as { addHook(name: Hook, handler: object): unknown }
  addHook.call(instance, name, handler)
}

async function expectAccounts(send: Send): Promise<void> {
  expect(await statuses(send, 'GET /?ada', 'GET /?bob', 'GET /?ada')).toEqual([200, 200, 429])
}

describe.each(hooks)('at %s, the key can use the account that is set by', (hook) => {
  test('a hook of the route, single or in a list', async () => {
    for (const own of [authenticate, [authenticate], [async () => {}, authenticate]]) {
      const app = create()
      await app.register(rateLimit, perAccount(hook))
      app.get('/', { [hook]: own }, hello)
      await expectAccounts(await serve(app))
    }
  })

  test('a hook that is added after the plugin', async () => {
    const app = create()
    await app.register(rateLimit, perAccount(hook))
    addHook(app, hook, authenticate)
    app.get('/', hello)
    await expectAccounts(await serve(app))
  })

  test('a hook that is added after the route', async () => {
    const app = create()
    await app.register(rateLimit, perAccount(hook))
    app.get('/', hello)
    addHook(app, hook, authenticate)
    await expectAccounts(await serve(app))
  })

  test('a hook of the scope below', async () => {
    const app = create()
    await app.register(rateLimit, perAccount(hook))
    app.register(async (child) => {
      addHook(child, hook, authenticate)
      child.get('/', hello)
    })
    await expectAccounts(await serve(app))
  })

  test('a hook that an earlier plugin appends to the route', async () => {
    const app = create()
    app.addHook('onRoute', (route) => {
      Reflect.set(route, hook, [route[hook] ?? [], authenticate].flat())
    })
    await app.register(rateLimit, perAccount(hook))
    app.get('/', hello)
    await expectAccounts(await serve(app))
  })

  test('a hook of a route with its own limit', async () => {
    const app = create()
    await app.register(rateLimit, { ...perAccount(hook), limit: 9 })
    app.get('/', { [hook]: authenticate, config: { sluice: { limit: 1 } } }, hello)
    await expectAccounts(await serve(app))
  })

  test('a hook of a route below the nearest of two registrations', async () => {
    const app = create()
    await app.register(rateLimit, times(0))
    app.register(async (child) => {
      await child.register(rateLimit, perAccount(hook))
      child.get('/', { [hook]: authenticate }, hello)
    })
    await expectAccounts(await serve(app))
  })
})

test.each(hooks)(
  'a route and its HEAD route, with and without a slash, count once at %s',
  async (hook) => {
    const app = create()
    await app.register(rateLimit, { ...times(4), hook })
    app.register(async (child) => child.get('/', { [hook]: authenticate }, hello), {
      prefix: '/items',
    })
    expect(
      await statuses(
        await serve(app),
        'GET /items',
        'HEAD /items',
        'GET /items/',
        'HEAD /items/',
        'GET /items',
      ),
    ).toEqual([200, 200, 200, 200, 429])
  },
)

test('the options of a route are not changed', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  const options = Object.freeze({
    onRequest: Object.freeze([authenticate]) as [typeof authenticate],
    config: Object.freeze({ sluice: Object.freeze({ limit: 2 }) }),
  })
  app.get('/a', options, hello)
  app.get('/b', options, hello)
  expect(await statuses(await serve(app), 'GET /a', 'GET /a', 'GET /a', 'GET /b')).toEqual([
    200, 200, 429, 200,
  ])
})

describe('if the registration is not awaited', () => {
  async function warningsOf(use: () => Promise<unknown>): Promise<unknown[]> {
    const codes: unknown[] = []
    const warned = (warning: object) => void codes.push(Reflect.get(warning, 'code'))
    process.on('warning', warned)
    await use()
    await new Promise(setImmediate)
    process.off('warning', warned)
    return codes
  }

  function late(hook: Hook): FastifyInstance {
    const app = create()
    app.register(rateLimit, { ...times(1), hook, store: memoryStore() })
    app.get('/', { [hook]: authenticate }, hello)
    return app
  }

  test('a route is limited once, and a hook later than onRequest causes a warning about the order', async () => {
    const used = async (hook: Hook) =>
      warningsOf(async () => {
        expect(await statuses(await serve(late(hook)), 'GET /', 'GET /')).toEqual([200, 429])
      })
    expect(await used('onRequest')).toEqual([])
    expect(await used('preHandler')).toEqual(['SLUICE_ROUTE_UNSEEN'])
    expect(await used('preHandler')).toEqual([])
  })

  test('a request without a route causes no warning', async () => {
    const app = create()
    await app.register(rateLimit, { ...times(1), hook: 'preHandler' })
    expect(
      await warningsOf(async () => {
        expect(await statuses(await serve(app), 'GET /x', 'GET /x')).toEqual([404, 429])
      }),
    ).toEqual([])
  })
})

test.each(hooks)(
  'a plugin that replaces the config of a route does not make it count twice (%s)',
  async (hook) => {
    const app = create()
    await app.register(rateLimit, { ...times(2), hook })
    app.addHook('onRoute', (route) => {
      route.config = {}
    })
    app.get('/', hello)
    expect(await statuses(await serve(app), 'GET /', 'GET /', 'GET /')).toEqual([200, 200, 429])
  },
)
