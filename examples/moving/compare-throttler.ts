// Checks what the page says: which responses of the two libraries are the same, and which differ.
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { Controller, Get, Module, type DynamicModule, type Type } from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import {
  SkipThrottle,
  Throttle,
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler'
import {
  fixedWindow,
  RateLimit,
  RateLimitModule,
  redisStore,
  slidingLog,
  type Algorithm,
  type RateLimitModuleOptions,
} from '@sluice/nestjs'
import { compares, limitHeaders, statuses, visit } from './check/visit.js'
import { AppModule as After } from './throttler/after.js'
import { AppModule as Before } from './throttler/before.js'
import { AppModule as Beside, compared } from './throttler/beside.js'
import { AppModule as Several } from './throttler/several.js'

@Controller()
class Hello {
  @Get()
  hello(): string {
    return 'Hello.'
  }

  @Get('other')
  other(): string {
    return 'Hello.'
  }
}

type Ask = (path?: string, options?: RequestInit) => Promise<Response>

const logIn = { method: 'POST', headers: { Authorization: 'right' } }

// The same requests get the same statuses.
for (const module of [Before, After]) {
  await ask(module, async (ask) => {
    assert.deepEqual(await statuses(ask, 12), [...Array(10).fill(200), 429, 429])
    assert.deepEqual(await statuses(ask, 2, '/login', { method: 'POST' }), [401, 401])
    assert.deepEqual(await statuses(ask, 3, '/login', logIn), [200, 429, 429])
    assert.deepEqual(await statuses(ask, 11, '/health'), Array(11).fill(200))
    assert.deepEqual(await statuses(ask, 1, '/nowhere'), [404])
  })
}

// Both limiters together: the old one responds and writes its headers, and both decide alike.
await ask(Beside, async (ask) => {
  assert.deepEqual(limitHeaders(await ask()), {
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '9',
    'x-ratelimit-reset': '60',
  })
  assert.deepEqual(await statuses(ask, 11), [...Array(9).fill(200), 429, 429])
  assert.deepEqual(await statuses(ask, 4, '/login', { method: 'POST' }), [201, 201, 201, 429])
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
})
assert.deepEqual(await compares(compared, 16), { same: 16, stricter: 0, looser: 0 })

await side(
  'two routes',
  [{ limit: 1, ttl: 60_000 }],
  { limit: 1, window: '1m' },
  async (ask) => [...(await statuses(ask, 1)), ...(await statuses(ask, 1, '/other'))],
  [200, 200],
  [200, 429],
)
// A limit of a controller: each route counts separately.
@Throttle({ default: { limit: 1, ttl: 60_000 } })
@Controller()
class Throttled extends Hello {}

@RateLimit({ limit: 1, window: '1m', scope: 'route' })
@Controller()
class Limited extends Hello {}

for (const module of [
  moduleWith(ThrottlerModule.forRoot([{ limit: 9, ttl: 60_000 }]), ThrottlerGuard, Throttled),
  moduleWith(RateLimitModule.forRoot({ limit: 9, window: '1m' }), undefined, Limited),
]) {
  await ask(module, async (ask) => {
    assert.deepEqual(await statuses(ask, 2), [200, 429])
    assert.deepEqual(await statuses(ask, 2, '/other'), [200, 429])
  })
}

// With several limits, a decorator of the throttler changes those that it names. In Sluice it replaces all, so it states the others again.
@SkipThrottle({ short: true, long: true })
@Controller()
class NamedThrottled {
  @Get()
  @SkipThrottle({ short: false, long: false })
  hello(): string {
    return 'Hello.'
  }

  @Get('health')
  health(): string {
    return 'Well.'
  }

  @Get('search')
  @SkipThrottle({ short: false, long: false })
  @Throttle({ short: { limit: 3, ttl: 10_000 } })
  search(): string {
    return 'Hello.'
  }

  @Get('upload')
  @SkipThrottle({ short: true, long: false })
  upload(): string {
    return 'Hello.'
  }
}

const named = [
  { name: 'short', limit: 2, ttl: 10_000 },
  { name: 'long', limit: 4, ttl: 60_000 },
]
for (const module of [
  moduleWith(ThrottlerModule.forRoot(named), ThrottlerGuard, NamedThrottled),
  Several,
]) {
  await ask(module, async (ask) => {
    assert.deepEqual(await statuses(ask, 3), [200, 200, 429])
    assert.deepEqual(await statuses(ask, 5, '/health'), Array(5).fill(200))
    assert.deepEqual(await statuses(ask, 4, '/search'), [200, 200, 200, 429])
    assert.deepEqual(await statuses(ask, 5, '/upload'), [200, 200, 200, 200, 429])
  })
}

const legacy = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': '60' }
await side(
  'the default headers',
  [{ limit: 5, ttl: 60_000 }],
  { limit: 5, window: '1m', headers: 'legacy', algorithm: fixedWindow },
  async (ask) => limitHeaders(await ask()),
  legacy,
  legacy,
)
await side(
  'the headers of a 429',
  [{ limit: 0, ttl: 60_000 }],
  { limit: 0, window: '1m' },
  async (ask) => Object.keys(limitHeaders(await ask())),
  ['retry-after'],
  ['ratelimit', 'ratelimit-policy', 'retry-after'],
)
await side(
  'the body of a 429',
  [{ limit: 0, ttl: 60_000 }],
  { limit: 0, window: '1m' },
  async (ask) => {
    const response = await ask('/', { headers: { Accept: 'text/plain' } })
    return [response.headers.get('Content-Type'), (await response.text()).slice(0, 16)]
  },
  ['application/json; charset=utf-8', '{"statusCode":42'],
  ['text/plain; charset=utf-8', 'Request cannot b'],
)
await side(
  'two limits, the second of which denies',
  [
    { name: 'short', limit: 3, ttl: 10_000 },
    { name: 'long', limit: 2, ttl: 60_000 },
  ],
  {
    policies: {
      short: fixedWindow({ limit: 3, window: '10s' }),
      long: fixedWindow({ limit: 2, window: '1m' }),
    },
  },
  async (ask) => {
    await statuses(ask, 2)
    const { status, headers } = await ask()
    const ours = /"short";r=(\d)/.exec(headers.get('RateLimit') ?? '')?.[1]
    return [status, headers.get('X-RateLimit-Remaining-short') ?? ours]
  },
  [429, '0'],
  [429, '1'],
)
await side(
  'Retry-After of a named limit',
  [{ name: 'short', limit: 0, ttl: 10_000 }],
  { policies: { short: fixedWindow({ limit: 0, window: '10s' }) } },
  async (ask) => Object.keys(limitHeaders(await ask())).filter((name) => name.startsWith('retry')),
  ['retry-after-short'],
  ['retry-after'],
)
await side(
  'a key that is undefined',
  { throttlers: [{ limit: 1, ttl: 60_000 }], getTracker: missing },
  { limit: 1, window: '1m', key: missing },
  (ask) => statuses(ask, 2),
  [200, 429],
  [400, 400],
)

const unavailable = async (): Promise<never> => Promise.reject(new Error('Redis is unavailable.'))
await side(
  'a store that fails',
  { throttlers: [{ limit: 1, ttl: 60_000 }], storage: { increment: unavailable } },
  {
    limit: 1,
    window: '1m',
    store: redisStore({ isCluster: false, evalSha: unavailable, eval: unavailable }),
  },
  (ask) => statuses(ask, 2),
  [500, 500],
  [200, 429],
)

// A client that exceeds the limit is blocked for a whole window. With a log alone, it is allowed again when its oldest hit expires.
const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
const clock = (): number => Date.now()
const throttle: Algorithm = ({ limit, window }) =>
  slidingLog({ limit, window, block: { for: window, on: 'exceeded' } })
const minute = { limit: 2, window: 60_000, clock }
const afterSteps = async (ask: Ask): Promise<number[]> => {
  const seen: number[] = []
  for (const step of [0, 30_000, 15_000, 30_000, 30_000]) {
    ahead += step
    seen.push((await ask()).status)
  }
  return seen
}
await side(
  'blocked',
  [{ limit: 2, ttl: 60_000 }],
  { ...minute, algorithm: throttle },
  afterSteps,
  [200, 200, 429, 429, 200],
  [200, 200, 429, 429, 200],
)
await side(
  'not blocked',
  [{ limit: 2, ttl: 60_000, blockDuration: 0 }],
  { ...minute, algorithm: slidingLog },
  afterSteps,
  [200, 200, 429, 200, 200],
  [200, 200, 429, 200, 200],
)
// A block shorter than the window: the throttler forgets the hits, the window of Sluice continues.
const shortBlock: Algorithm = ({ limit, window }) =>
  slidingLog({ limit, window, block: { for: '10s', on: 'exceeded' } })
const afterShortBlock = async (ask: Ask): Promise<number[]> => {
  const seen = await statuses(ask, 3)
  for (const step of [10_000, 50_000]) {
    ahead += step
    seen.push((await ask()).status)
  }
  return seen
}
await side(
  'a block shorter than the window',
  [{ limit: 2, ttl: 60_000, blockDuration: 10_000 }],
  { ...minute, algorithm: shortBlock },
  afterShortBlock,
  [200, 200, 429, 200, 200],
  [200, 200, 429, 429, 200],
)
Date.now = now

// A limit that is a string: the throttler reads it as a number, Sluice rejects it.
const limit = '5' as unknown as number
const lenient = moduleWith(ThrottlerModule.forRoot([{ limit, ttl: 60_000 }]), ThrottlerGuard)
await ask(lenient, async (ask) => {
  assert.equal((await ask()).headers.get('X-RateLimit-Remaining'), '4')
})
await assert.rejects(ask(behind({ limit, window: '1m' }), statuses), {
  code: 'SLUICE_OPTION_INVALID',
})

/** Sends the same requests to an application with each of the two limiters. */
async function side(
  what: string,
  theirs: ThrottlerModuleOptions,
  ours: RateLimitModuleOptions,
  look: (ask: Ask) => unknown,
  theirResult: unknown,
  ourResult: unknown,
): Promise<void> {
  const theirModule = moduleWith(ThrottlerModule.forRoot(theirs), ThrottlerGuard)
  assert.deepEqual(await ask(theirModule, look), theirResult, `${what}, @nestjs/throttler`)
  assert.deepEqual(await ask(behind(ours), look), ourResult, `${what}, Sluice`)
}

function behind(options: RateLimitModuleOptions): Type {
  return moduleWith(RateLimitModule.forRoot(options))
}

function moduleWith(limits: DynamicModule, guard?: Type, controller: Type = Hello): Type {
  const providers = guard === undefined ? [] : [{ provide: APP_GUARD, useClass: guard }]
  @Module({ imports: [limits], controllers: [controller], providers })
  class Whole {}
  return Whole
}

async function ask(module: Type, go: (ask: Ask) => unknown): Promise<unknown> {
  const app = await NestFactory.create(module, { logger: false, abortOnError: false })
  try {
    await app.init()
    return await visit(app.getHttpAdapter().getInstance(), go)
  } finally {
    await app.close()
  }
}

function missing(): never {
  return undefined as never
}
