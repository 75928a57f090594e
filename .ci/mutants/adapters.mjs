export const area = 'adapters'

export const tests = [
  'packages/express/test packages/koa/test',
  'packages/fastify/test packages/nestjs/test',
  'packages/conformance/test/adapters/express packages/conformance/test/adapters/koa',
  'packages/conformance/test/adapters',
]

export const mutants = [
  {
    file: 'packages/express/src/rate-limit.ts',
    name: 'Express goes on after a handler that rejects with undefined',
    find: "error ?? new Error('a handler threw nothing')",
    replace: 'error',
  },
  {
    file: 'packages/express/src/rate-limit.ts',
    name: "Express settles no request that goes on by next('route')",
    find: "error === 'route' || error === 'router'",
    replace: "error === 'router'",
  },
  {
    file: 'packages/express/src/rate-limit.ts',
    name: 'Express answers a request whose answer has begun',
    find: 'response.headersSent || response.status',
    replace: 'response.status',
  },
  {
    file: 'packages/express/src/rate-limit.ts',
    name: 'Express waits for no handler of a class',
    find: 'followHandler(response, done)',
    replace: '',
  },
  {
    file: 'packages/express/src/rate-limit.ts',
    name: 'Express loses what the limit of a method fails with',
    find: 'if (error !== undefined) return next(error)',
    replace: 'if (error === null) return next(error)',
  },
  {
    file: 'packages/koa/src/rate-limit.ts',
    name: 'Koa answers a request whose answer has begun',
    find: 'if (context.headerSent) return undefined',
    replace: '',
  },
  {
    file: 'packages/koa/src/rate-limit.ts',
    name: 'Koa drops the headers of an error',
    find: 'return callNext(context, next).catch((error) => rethrow(error, context, headers))',
    replace: 'return callNext(context, next)',
  },
  {
    file: 'packages/koa/src/rate-limit.ts',
    name: 'Koa drops the headers where the handler of denials throws',
    find: 'return handle(action, context, next).catch((error) => rethrow(error, context, headers))',
    replace: 'return handle(action, context, next)',
  },
  {
    file: 'packages/fastify/src/apply-limit.ts',
    name: 'Fastify answers a request whose answer has begun',
    find: 'if (reply.sent || reply.raw.headersSent) return false',
    replace: '',
  },
  {
    file: 'packages/fastify/src/apply-limit.ts',
    name: 'Fastify goes on with anything that a handler of denials returns',
    find: 'return result === true\n',
    replace: 'return result !== undefined\n',
  },
  {
    file: 'packages/core/src/http/guard/route-limits.ts',
    name: 'Fastify counts a request in each place',
    find: 'seen.add(request)',
    replace: '',
  },
  {
    file: 'packages/fastify/src/instance-decorator.ts',
    name: 'Fastify finds the key of another limit',
    find: 'limiter === undefined ? limits.common() : limits.of(limiter)',
    replace: 'limiter === undefined ? limits.common() : limits.placed(undefined, true)',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'Nest counts a request once for each guard',
    find: 'checked.add(context)',
    replace: '',
  },
  {
    file: 'packages/nestjs/src/calls/http.ts',
    name: 'Nest cuts off an answer that has begun',
    find: 'this.exchange.headersSent ? undefined :',
    replace: 'this.exchange.statusCode === 0 ? undefined :',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'Nest lets a request go on without settling it',
    find: 'if (continues) action.proceed(written)',
    replace: '',
  },
  {
    file: 'packages/nestjs/src/handler-follower.ts',
    name: 'Nest waits for ever for a handler',
    find: 'finalize(() => done())',
    replace: 'finalize(() => {})',
  },
  {
    file: 'packages/nestjs/src/calls/shared-headers.ts',
    name: 'GraphQL writes a limiter once for each alias',
    find: 'if (other !== limit) writeFields(fields, headers)',
    replace: 'writeFields(fields, headers)',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'the limit of the module counts each field of an operation',
    find: 'known.set(limit.guard, first)',
    replace: '',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'a method after the end of its operation is not settled',
    find: 'const isFirst = earlier === undefined || isOver(earlier.call)',
    replace: 'const isFirst = earlier === undefined',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'an operation is settled between two of its methods',
    find: 'exchange.stayOpen()',
    replace: 'exchange.isOver = false',
  },
  {
    file: 'packages/nestjs/src/rate-limit-guard.ts',
    name: 'an operation waits for a field resolver that nothing follows',
    find: 'isFollowed ? run : { ...run, allow: () => run.end(200) }',
    replace: 'run',
  },
  {
    file: 'packages/nestjs/src/calls/method-exchange.ts',
    name: 'a lease is held for ever if a later guard of Nest denies the call',
    find: 'allow: endLater',
    replace: 'allow() {}',
  },
  {
    file: 'packages/nestjs/src/calls/method-exchange.ts',
    name: 'an operation over a WebSocket ends between its methods',
    find: 'clearTimeout(this.#idle?.timer)',
    replace: '',
  },
  {
    file: 'packages/nestjs/src/handler-follower.ts',
    name: 'Nest frees a unit before the interceptors of a method are done',
    find: '[handlerFollower, ...others]',
    replace: '[...others, handlerFollower]',
  },
  {
    file: 'packages/nestjs/src/handler-follower.ts',
    name: 'Nest frees a unit before the interceptors of a class are done',
    find: 'listAt(type, INTERCEPTORS_METADATA).length > 0 ? type : method',
    replace: 'method',
  },
  {
    file: 'packages/nestjs/src/limits.ts',
    name: 'Nest follows no method that has the guard alone',
    find: 'return isGlobals || isGuarded(type, handler)',
    replace: 'return isGlobals || declaredAt(handler, type) !== undefined',
  },
  {
    file: 'packages/nestjs/src/nest-methods.ts',
    name: 'Nest does not refuse a field resolver that nothing follows',
    find: "return !runs.includes('guards') || runs.includes('interceptors')",
    replace: 'return true',
  },
  {
    file: 'packages/nestjs/src/rate-limit-exception.ts',
    name: 'Nest tells clients of GraphQL and of messages to wait for the end of a lease',
    find: 'const firmMs = firmWaitOf(decision)',
    replace: 'const firmMs = decision.retryAfterMs',
  },
]
