import {
  HttpException,
  UseInterceptors,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common'
import { followHandler } from '@sluice/core/http'
import { finalize, tap } from 'rxjs'
import type { Run } from './calls/method-exchange.js'
import { nodeOf, responseOf } from './request.js'

const followed = new WeakSet<object>()

/**
 * Adds an interceptor to a method, which tells its limits when the method is done. An interceptor costs time in each request, so only methods whose
 * limits hold leases have one. Nest reads interceptors when it makes its routes, which is after it makes its guards.
 */
export function followMethod(
  { prototype }: { readonly prototype: object },
  name: string,
  method: object,
): void {
  if (followed.has(method)) return
  followed.add(method)
  UseInterceptors(handlerFollower)(prototype, name, { value: method })
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
