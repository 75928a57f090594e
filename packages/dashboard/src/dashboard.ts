import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Limiter, Policies } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import {
  checked,
  checkedIfGiven,
  isFunction,
  isPromise,
  isRecord,
  optional,
  readOptions,
  sluiceError,
} from '@sluice/core/internal'
import type { Visitor } from './act-event.js'
import { collect } from './collect/subscription.js'
import { isRules, type DashboardRules } from './data/rules-data.js'
import { keysFor } from './data/shown.js'
import { viewOf } from './data/view-of.js'
import type { Authorization } from './http/authorize.js'
import { createHandler } from './http/handler.js'
import { KeyDesk } from './keys/key-desk.js'
import { PrefixCheck } from './keys/prefix-check.js'
import { Processes } from './processes.js'
import type { DashboardShare } from './share/share.js'

/** Options of `createDashboard`. `R` is the type of the requests. */
export interface DashboardOptions<R extends IncomingMessage = IncomingMessage> {
  /** The limiters that can be acted upon: `rateLimit(…).limiter`, or those of `createLimiter`. The page shows all limiters of the process, by their own names. */
  readonly limiters: Readonly<Record<string, Limiter>>
  /** The rules of the application, as `loadRules` returns them. Without them, an act reaches only the policies that decisions have shown since the start. */
  readonly rules?: DashboardRules | undefined
  /**
   * Returns the role of the user who makes a request: `'read'` to look and see no keys, `'write'` to look, see keys and act, or `{ role, name }`. Without a role, or after an error, the request is
   * answered with 403; for `{ challenge: 'Basic realm="limits"' }`, with 401 and this challenge. There is no default.
   */
  readonly authorize: (request: R) => Awaitable<Authorization>
  /** `redisView(client)`, to show all processes together. Without it, the page shows the process that answers. */
  readonly share?: DashboardShare | undefined
  /**
   * Returns the text that the role `read` sees for a key, as it is counted, such as a part of an address.
   *
   * @default no text
   */
  readonly mask?: ((key: string) => string) | undefined
  /**
   * Returns the policies of a key, for limiters whose policies depend on the request, such as on a plan. It receives the key as it is counted, and the name of the
   * limiter. By default, a key has the policies of its last decision in the process that answers; if that is not known, the page says so.
   */
  readonly policiesOf?:
    | ((key: string, limiter: string) => Awaitable<Policies | undefined>)
    | undefined
  /**
   * The share of the allowed decisions that are counted for the most frequent keys. All denials are.
   *
   * @default 1
   */
  readonly sample?: number | undefined
  /**
   * Returns milliseconds since the epoch: for tests.
   *
   * @default Date.now
   */
  readonly clock?: (() => number) | undefined
}

/** A page that shows which clients are limited. */
export interface Dashboard<R extends IncomingMessage = IncomingMessage> {
  /** Handles requests at any mount. It never throws, and passes no error on. */
  readonly handler: (request: R, response: ServerResponse) => void
  /** Ends the collection of data, and removes those of this process from the others. */
  close(): Promise<void>
}

/**
 * Creates the page that shows which clients are limited, as a handler for `node:http`, Express, Koa, Fastify and NestJS. From then on, the decisions of all limiters of the
 * process are counted.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { createLimiter } from '@sluice/core'
 * import { createDashboard } from '@sluice/dashboard'
 *
 * const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' })
 * const dashboard = createDashboard({
 *   limiters: { api: limiter },
 *   authorize: ({ headers }) => (headers.authorization === 'Bearer secret' ? 'write' : undefined),
 * })
 * createServer(dashboard.handler).listen(3000)
 * @throws SluiceError if an option is missing, unknown or invalid
 */
export function createDashboard<R extends IncomingMessage = IncomingMessage>(
  options: DashboardOptions<R>,
): Dashboard<R> {
  return dashboardWith(options, fileURLToPath(new URL('../bundle/page/', import.meta.url)))
}

/** The dashboard with the page of a folder: tests have pages of their own. */
export function dashboardWith<R extends IncomingMessage>(
  options: DashboardOptions<R>,
  folder: string,
): Dashboard<R> {
  const { limiters, sample } = readOptions(where, options, readers)
  const { authorize, rules, share, mask, policiesOf, clock = Date.now } = options
  const byName = limitersByName(limiters)
  const collected = collect(clock, sample)
  const processes = new Processes(collected, rules, share)
  const shown = { acting: [...byName.keys()], rules, keyFor: keysFor(mask), policiesOf }
  const desk = new KeyDesk(byName, share, processes, shown)
  const check =
    share && new PrefixCheck(byName.values(), share, async (name) => desk.countedKey(name))
  const api = {
    view: async ({ role }: Visitor, rows: number) =>
      viewOf(processes, shown, role, rows, check?.wrongPrefix),
    key: desk.key.bind(desk),
    search: desk.search.bind(desk),
    act: desk.act.bind(desk),
  }
  return {
    handler: createHandler(api, authorize, folder),
    async close() {
      check?.close()
      await processes.close()
    },
  }
}

const where = 'createDashboard'

const readers = {
  limiters: {
    ...checked(
      'an object with the limiters that can be acted upon: { api: limit.limiter }',
      areLimiters,
    ),
    advice: limiterAdvice,
  },
  rules: {
    ...checkedIfGiven('rules, such as those that loadRules returns', isRules),
    advice: (value: unknown) => (isPromise(value) ? 'This is a promise: await it' : undefined),
  },
  authorize: checked(
    "a function that returns 'write', 'read' or undefined for a request: the page shows the keys of clients and can block them, so it has no default",
    isFunction,
  ),
  share: checkedIfGiven('redisView(client)', isShare),
  mask: checkedIfGiven('a function from a key to the text that is shown', isFunction),
  policiesOf: checkedIfGiven('a function from a key to its policies', isFunction),
  sample: optional(checked('a number above 0, up to 1', isPart), 1),
  clock: checkedIfGiven('a function that returns milliseconds since the epoch', isFunction),
}

function areLimiters(value: unknown): value is Readonly<Record<string, Limiter>> {
  return isRecord(value) && Object.values(value).every(isLimiter)
}

const methods = ['status', 'block', 'unblock', 'reset', 'penalize']

function isLimiter(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    methods.every((method) => isFunction(value[method]))
  )
}

function limiterAdvice(value: unknown): string | undefined {
  const wrong = isRecord(value)
    ? Object.entries(value).find(([, one]) => !isLimiter(one))
    : undefined
  if (wrong === undefined) return undefined
  const [name, one] = wrong
  return typeof one === 'function' && 'limiter' in one
    ? `"${name}" looks like a rateLimit: pass its "limiter"`
    : `"${name}" is no limiter`
}

/** Events contain only the name of a limiter, so two limiters with one name would be one. */
function limitersByName(limiters: Readonly<Record<string, Limiter>>): ReadonlyMap<string, Limiter> {
  const byName = new Map<string, Limiter>()
  for (const limiter of Object.values(limiters)) {
    const { name } = limiter
    if (byName.has(name) && byName.get(name) !== limiter) {
      const expected = 'limiters with different names'
      const advice = `Two of them are called "${name}": give each a "name"`
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'limiters', limiters, expected, advice)
    }
    byName.set(name, limiter)
  }
  return byName
}

function isPart(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1
}

function isShare(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['write', 'read', 'remove', 'has', 'search'].every((name) => isFunction(value[name]))
  )
}
