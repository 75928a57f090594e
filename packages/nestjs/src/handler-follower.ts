import { SetMetadata, type ExecutionContext, type NestInterceptor } from '@nestjs/common'
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js'
import type { ModulesContainer } from '@nestjs/core'
import { followHandler } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { AsyncLocalStorage } from 'node:async_hooks'
import { finalize, tap } from 'rxjs'
import { statusOf, type MethodExchange, type Run } from './calls/method-exchange.js'
import { methodUnseen } from './errors.js'
import {
  fieldsHaveInterceptors,
  isFieldResolver,
  isGuarded,
  listAt,
  type Handler,
} from './nest-methods.js'
import { nodeOf, responseOf } from './request.js'

/**
 * Adds an interceptor to a method, which tells its limits when the method is done. An interceptor costs time in each request, so only methods whose
 * limits depend on it have one. Nest reads interceptors when it makes its routes, which is after it makes its guards. It is the first one, around the others
 * of the method, and around those of the class if there are any, which Nest runs before those of the method.
 */
export function followMethod(type: Handler, name: string, method: Handler): void {
  reportReturn(type, name, method)
  const target = listAt(type, INTERCEPTORS_METADATA).length > 0 ? type : method
  const others = listAt(target, INTERCEPTORS_METADATA)
  if (others.includes(handlerFollower)) return
  SetMetadata(INTERCEPTORS_METADATA, [handlerFollower, ...others])(target)
}

/** The runs of methods, by the lists of their arguments: guards and interceptors of a call see the same one. */
const runs = new WeakMap<object, Run>()

/**
 * Adds the method of a call to its exchange.
 *
 * @throws SluiceError SLUICE_METHOD_UNSEEN if an interceptor has to follow the method, and none does
 */
export function startRun(
  exchange: MethodExchange,
  context: ExecutionContext,
  modules: ModulesContainer,
): Run {
  const isSeen = isFollowed(context.getClass(), context.getHandler(), modules)
  const run = exchange.run()
  if (!isSeen) return { ...run, allow: () => run.end(200) }
  runs.set(context.getArgs(), run)
  return run
}

/**
 * Whether an interceptor follows a method. It follows no field resolver for which Nest runs the global guard but no interceptors: the module counts
 * operations, which their other methods decide.
 */
function isFollowed(type: Handler, method: Handler, modules: ModulesContainer): boolean {
  const isField = isFieldResolver(method)
  if (reporting.has(method) && (!isField || fieldsHaveInterceptors(modules))) return true
  if (isField && !isGuarded(type, method)) return false
  throw methodUnseen(`${type.name}.${method.name}`)
}

/** Receives the promise that the method of a call returns. */
const receivers = new AsyncLocalStorage<((returned: Promise<unknown>) => void) | undefined>()

const reporting = new WeakSet<Handler>()

/**
 * Replaces a method by one that reports the promise that it returns. An interceptor alone does not see it: one that unsubscribes, as by `timeout` of RxJS, ends the
 * Observable while the promise of the method is pending.
 */
function reportReturn(type: Handler, name: string, method: Handler): void {
  if (reporting.has(method)) return
  function reported(this: unknown, ...args: unknown[]): unknown {
    const receive = receivers.getStore()
    // Other methods that this one calls belong to no call of their own.
    const returned: unknown = receivers.run(undefined, (): unknown =>
      Reflect.apply(method, this, args),
    )
    if (receive === undefined || !isPromise(returned)) return returned
    // A query builder is a thenable that runs its query each time that it is asked for the result.
    const promise = Promise.resolve(returned)
    receive(promise)
    return promise
  }
  reporting.add(reported)
  // Metadata is inherited.
  Object.setPrototypeOf(reported, method)
  for (const key of ['name', 'length']) {
    Object.defineProperty(reported, key, { value: Reflect.get(method, key), configurable: true })
  }
  const own = { value: reported, configurable: true, writable: true }
  Object.defineProperty(type.prototype, name, own)
}

const handlerFollower: NestInterceptor = {
  intercept(context, next) {
    const run = context.getType() === 'http' ? runOverHttp(context) : runs.get(context.getArgs())
    if (run === undefined) return next.handle()
    let status: number | undefined = 200
    let work: Promise<unknown> | undefined
    const end = (): void => run.end(status)
    run.begin()
    return receivers
      .run(
        (returned) => void (work = returned),
        () => next.handle(),
      )
      .pipe(
        tap({ error: (error: unknown) => (status = statusOf(error)) }),
        finalize(() => (work === undefined ? end() : void work.then(end, end))),
      )
  },
}

/** Over HTTP, the response has the status, and tells its limits when the handler is done. */
function runOverHttp(context: ExecutionContext): Pick<Run, 'begin' | 'end'> {
  let end = (): void => {}
  const done = new Promise<void>((resolve) => (end = resolve))
  const response = nodeOf(responseOf(context))
  return { begin: () => followHandler(response, done), end }
}
