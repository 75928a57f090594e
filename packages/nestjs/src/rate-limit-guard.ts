import type { CanActivate, ExecutionContext } from '@nestjs/common'
import type { ModulesContainer } from '@nestjs/core'
import { callOfHttp, keptDecision, type Call } from './calls/call.js'
import { callOfGraphql } from './calls/graphql.js'
import { callOfMessage } from './calls/message.js'
import { MethodExchange, statusOf } from './calls/method-exchange.js'
import { getOrAdd } from './get-or-add.js'
import { startRun } from './handler-follower.js'
import { injectLimits, limitsIn, type Limit, type Limits, type Options } from './limits.js'
import { MarkGuard } from './nest-methods.js'
import { exceptionOf, RateLimitException, RequestException } from './rate-limit-exception.js'

/** Nest passes the same context to all guards of a call, and a new one for each call. A route may have this guard twice. */
const checked = new WeakSet<ExecutionContext>()

/**
 * Limits the calls of the application if `RateLimitModule` is global, and otherwise those with `RateLimit` or `UseGuards`: HTTP requests, calls of GraphQL
 * resolvers, messages of gateways and of microservices. Global guards of Nest do not reach gateways.
 *
 * @throws RateLimitException for each request or GraphQL field that is denied, WsException for a message of a gateway, RpcException for one of a microservice
 */
export class RateLimitGuard implements CanActivate {
  readonly #limits: Limits
  readonly #modules: ModulesContainer

  static {
    injectLimits(this)
    MarkGuard()(this)
  }

  constructor(modules: ModulesContainer, defaults?: Options) {
    this.#limits = limitsIn(modules, defaults)
    this.#modules = modules
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (checked.has(context)) return true
    checked.add(context)
    const type = context.getType<string>()
    const limit = this.#limits.limitOf(context.getClass(), context.getHandler())
    // Other transports, such as those of chat bots, are limited only where a decorator says so: the options of the module need not fit them.
    if (limit.isEmpty || (limit.isOfModule && !transports.has(type))) return true
    const call = callOf(context, type, this.#modules)
    // The limit of the module counts a GraphQL operation once.
    const operation = limit.isOfModule ? call.operation : undefined
    try {
      return await checkCall({ call, context, guard: limit.guard }, operation, this.#modules)
    } catch (error) {
      throw error instanceof RateLimitException || error instanceof RequestException
        ? await call.exceptionOf(error)
        : error
    }
  }
}

const transports = new Set(['http', 'graphql', 'ws', 'rpc'])

/** The one place where a call of Nest becomes what a limit checks. */
function callOf(context: ExecutionContext, type: string, modules: ModulesContainer): Call {
  if (type === 'http') return callOfHttp(context)
  return type === 'graphql' ? callOfGraphql(context, modules) : callOfMessage(context, type)
}

/** A call that a limit checks. */
interface Check {
  readonly guard: Limit
  readonly call: Call
  readonly context: ExecutionContext
}

/** The checks of the first calls of an operation. */
type FirstChecks = Map<Limit, Check & { readonly result: Promise<boolean> }>

const operations = new WeakMap<object, FirstChecks>()

/**
 * Returns whether the method runs. If it does not, its run ends here: no interceptor sees the call.
 *
 * @param operation the GraphQL operation whose calls follow its first one, until the exchange of that is over
 */
async function checkCall(
  check: Check,
  operation: object | undefined,
  modules: ModulesContainer,
): Promise<boolean> {
  const { guard, call, context } = check
  const checks = operation && getOrAdd(operations, operation, (): FirstChecks => new Map())
  const earlier = checks?.get(guard)
  const first = earlier === undefined || isOver(earlier.call) ? undefined : earlier
  const { exchange } = (first ?? check).call
  const isReported = guard.needsOutcome && exchange instanceof MethodExchange
  if (isReported && checks !== undefined && first === undefined) exchange.stayOpen()
  const run = isReported ? startRun(exchange, context, modules) : undefined
  const result = first?.result ?? decide(check)
  checks?.set(guard, first ?? { ...check, result })
  try {
    const continues = await result
    if (first !== undefined) call.decided(keptDecision(first.context))
    if (continues) run?.allow()
    else run?.end(403)
    return continues
  } catch (error) {
    run?.end(statusOf(error))
    throw error
  }
}

function isOver({ exchange }: Call): boolean {
  return exchange instanceof MethodExchange && exchange.isOver
}

async function decide({ guard, call, context }: Check): Promise<boolean> {
  const headers = call.headersOf(guard)
  const action = await guard.check(call.view, call.exchange, headers).catch((error: unknown) => {
    throw exceptionOf(error)
  })
  call.decided(action.decision)
  // The last header of a denial is `Content-Type`, which the exception filter writes together with the body.
  headers.write(action.type === 'deny' ? action.headers.slice(0, -1) : action.headers)
  switch (action.type) {
    case 'continue':
      return true
    case 'deny':
      throw new RateLimitException(action)
    case 'handle': {
      const continues = await action.callHandler((handler) => handler(context, action.decision))
      if (continues) action.proceed(headers)
      return continues
    }
    default:
      return action satisfies never
  }
}
