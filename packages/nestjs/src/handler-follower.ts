import { SetMetadata, type ExecutionContext, type NestInterceptor } from '@nestjs/common'
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js'
import { followHandler } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { AsyncLocalStorage } from 'node:async_hooks'
import { finalize, tap } from 'rxjs'
import type { Run } from './calls/method-exchange.js'
import { listAt, type Handler } from './nest-methods.js'
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

export function isFollowed(type: Handler, method: Handler): boolean {
  return [type, method].some((target) =>
    listAt(target, INTERCEPTORS_METADATA).includes(handlerFollower),
  )
}

/** The runs of methods, by the lists of their arguments: guards and interceptors of a call see the same one. */
const runs = new WeakMap<object, Run>()

/** Keeps the run of a method for its interceptor. */
export function keepRun(context: ExecutionContext, run: Run): void {
  runs.set(context.getArgs(), run)
}

/** Receives the return value of the method of a call. */
const receivers = new AsyncLocalStorage<((returned: unknown) => void) | undefined>()

const reporting = new WeakSet<Handler>()

/**
 * Replaces a method by one that reports its return value. An interceptor alone does not see it: one that unsubscribes, as by `timeout` of RxJS, ends the
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
    receive?.(returned)
    return returned
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
    const run = runs.get(context.getArgs())
    if (run !== undefined) {
      let end = (): void => run.end(200)
      let work: unknown
      run.begin()
      return receivers
        .run(
          (returned) => (work = returned),
          () => next.handle(),
        )
        .pipe(
          tap({ error: (error: unknown) => (end = () => run.fail(error)) }),
          finalize(() => whenSettled(work, end)),
        )
    }
    if (context.getType() !== 'http') return next.handle()
    const response = nodeOf(responseOf(context))
    let done: () => void = () => {}
    followHandler(response, new Promise<void>((resolve) => (done = resolve)))
    return receivers
      .run(
        (returned) => followHandler(response, returned),
        () => next.handle(),
      )
      .pipe(finalize(() => done()))
  },
}

function whenSettled(work: unknown, then: () => void): void {
  if (isPromise(work)) work.then(then, then)
  else then()
}
