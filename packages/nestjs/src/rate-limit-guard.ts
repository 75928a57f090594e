import {
  Inject,
  Injectable,
  Optional,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import type { Call } from './calls/call.js'
import { keptDecision } from './calls/decisions.js'
import { callOfGraphql } from './calls/graphql.js'
import { callOfHttp } from './calls/http.js'
import { callOfMessage } from './calls/message.js'
import { MethodExchange, type Run } from './calls/method-exchange.js'
import { keepRun } from './handler-follower.js'
import { defaultsToken, limitsIn, type AppliedLimit, type Limits, type Options } from './limits.js'
import { MarkGuard } from './nest-methods.js'
import { RateLimitException } from './rate-limit-exception.js'
import { exceptionOf, RequestException } from './request-exception.js'

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

  // Decorators as function calls, because decorator syntax needs a compiler option.
  static {
    Injectable()(this)
    MarkGuard()(this)
    Inject(ModulesContainer)(this, undefined, 0)
    Optional()(this, undefined, 1)
    Inject(defaultsToken)(this, undefined, 1)
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
    const { operation } = call
    try {
      return operation !== undefined && limit.isOfModule
        ? await checkOperation(operation, limit, call, context)
        : await checkCall(limit, call, context)
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

async function checkCall(
  limit: AppliedLimit,
  call: Call,
  context: ExecutionContext,
): Promise<boolean> {
  return outcome(startRun(limit, call.exchange, context), check(limit, call, context))
}

/** The first call of a GraphQL operation, which the others follow. */
interface FirstCall {
  readonly call: Call
  readonly context: ExecutionContext
  readonly result: Promise<boolean>
}

const operations = new WeakMap<object, Map<AppliedLimit['guard'], FirstCall>>()

/** Counts an operation once. After its exchange is over, it counts again. */
async function checkOperation(
  operation: object,
  limit: AppliedLimit,
  call: Call,
  context: ExecutionContext,
): Promise<boolean> {
  const known = operations.get(operation) ?? new Map<AppliedLimit['guard'], FirstCall>()
  operations.set(operation, known)
  const earlier = known.get(limit.guard)
  const isFirst = earlier === undefined || isOver(earlier.call)
  const { exchange } = isFirst ? call : earlier.call
  if (isFirst && limit.guard.needsOutcome && exchange instanceof MethodExchange) exchange.stayOpen()
  const run = startRun(limit, exchange, context)
  const first = isFirst ? { call, context, result: check(limit, call, context) } : earlier
  known.set(limit.guard, first)
  const continues = await outcome(run, first.result)
  if (!isFirst) call.decided(keptDecision(first.context))
  return continues
}

function isOver({ exchange }: Call): boolean {
  return exchange instanceof MethodExchange && exchange.isOver
}

/** Lets an exchange wait for the method, if something is settled then. */
function startRun(
  limit: AppliedLimit,
  exchange: Call['exchange'],
  context: ExecutionContext,
): Run | undefined {
  if (!limit.guard.needsOutcome || !(exchange instanceof MethodExchange)) return undefined
  const isFollowed = limit.isFollowed()
  const run = exchange.run()
  if (isFollowed) keepRun(context, run)
  return isFollowed ? run : { ...run, allow: () => run.end(200) }
}

/** Returns whether the method runs. If it does not, its run ends here: no interceptor sees the call. */
async function outcome(run: Run | undefined, result: Promise<boolean>): Promise<boolean> {
  try {
    const continues = await result
    if (continues) run?.allow()
    else run?.end(403)
    return continues
  } catch (error) {
    run?.fail(error)
    throw error
  }
}

/** Checks a call, and returns whether the method runs. */
async function check(
  { guard }: AppliedLimit,
  call: Call,
  context: ExecutionContext,
): Promise<boolean> {
  const action = await guard
    .check(call.view, call.exchange, call.earlierThan(guard))
    .catch((error: unknown) => {
      throw exceptionOf(error)
    })
  call.decided(action.decision)
  // The last header of a denial is `Content-Type`, which the exception filter writes together with the body.
  const own = action.type === 'deny' ? action.headers.slice(0, -1) : action.headers
  const written = call.write(guard, own)
  switch (action.type) {
    case 'continue':
      return true
    case 'deny':
      throw new RateLimitException(action)
    case 'handle': {
      const continues = await action.callHandler((handler) => handler(context, action.decision))
      if (continues) action.proceed(written)
      return continues
    }
    default:
      return action satisfies never
  }
}
