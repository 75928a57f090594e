import {
  HttpException,
  SetMetadata,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common'
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js'
import { followHandler } from '@sluice/core/http'
import { finalize, tap } from 'rxjs'
import type { Run } from './calls/method-exchange.js'
import { listAt, type Handler } from './nest-methods.js'
import { nodeOf, responseOf } from './request.js'

/**
 * Adds an interceptor to a method, which tells its limits when the method is done. An interceptor costs time in each request, so only methods whose
 * limits depend on it have one. Nest reads interceptors when it makes its routes, which is after it makes its guards. It is the first one, around the others
 * of the method, and around those of the class if there are any, which Nest runs before those of the method.
 */
export function followMethod(type: Handler, method: Handler): void {
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

const handlerFollower: NestInterceptor = {
  intercept(context, next) {
    const run = runs.get(context.getArgs())
    if (run !== undefined) {
      let status = 200
      run.begin()
      return next.handle().pipe(
        tap({ error: (error: unknown) => (status = statusOf(error)) }),
        finalize(() => run.end(status)),
      )
    }
    if (context.getType() !== 'http') return next.handle()
    let done: () => void = () => {}
    const work = new Promise<void>((resolve) => (done = resolve))
    followHandler(nodeOf(responseOf(context)), work)
    return next.handle().pipe(finalize(() => done()))
  },
}

/** The status that Nest would send for an error over HTTP. */
function statusOf(error: unknown): number {
  return error instanceof HttpException ? error.getStatus() : 500
}
