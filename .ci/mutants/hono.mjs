const root = 'packages/hono/src'

export const area = 'hono'

export const tests = ['packages/hono/test', 'packages/conformance/test/adapters/hono.test']

export const mutants = [
  {
    file: `${root}/rate-limit.ts`,
    name: 'the headers of an earlier response replace those of the limit',
    find: '      context.res = undefined\n',
    replace: '',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'the route is the pattern of the middleware',
    find: "!path.includes('*')",
    replace: "path.includes('*')",
  },
  {
    file: `${root}/lookups.ts`,
    name: 'a request without a handler has no route',
    find: ' ?? routes.at(-1)',
    replace: '',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'a denial has no headers of other middleware',
    find: 'return status >= 200 && status <= 599',
    replace: 'return status < 0',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'the execution context is not used',
    find: '[context.executionCtx]',
    replace: '[]',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'a value that a validator has parsed may be a key',
    find: ', ...targets.map((target) => request.valid(target))',
    replace: '',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'the server reports no address',
    find: 'reportedAddress(req.raw, [env])',
    replace: 'reportedAddress(req.raw, [])',
  },
  {
    file: `${root}/lookups.ts`,
    name: 'a wrong request is a failure of the server',
    find: 'throw Object.assign(error, { getResponse: () => new Response(message, { status }) })',
    replace: 'throw error',
  },
]
