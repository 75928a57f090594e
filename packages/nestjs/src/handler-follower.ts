import { UseInterceptors, type NestInterceptor } from '@nestjs/common'
import { followHandler } from '@sluice/core/http'
import { finalize } from 'rxjs'
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

const handlerFollower: NestInterceptor = {
  intercept(context, next) {
    if (context.getType() !== 'http') return next.handle()
    let done: () => void = () => {}
    const work = new Promise<void>((resolve) => (done = resolve))
    followHandler(nodeOf(responseOf(context)), work)
    return next.handle().pipe(finalize(() => done()))
  },
}
