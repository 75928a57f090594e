const root = 'packages/fetch/src'
const core = 'packages/core/src/http/request'

export const area = 'fetch'

export const tests = [
  'packages/fetch/test packages/core/test/http/client-address packages/core/test/http/web-view packages/core/test/http/fetch-exchange',
  'packages/conformance/test/adapters/fetch',
]

export const mutants = [
  {
    file: `${root}/rate-limit.ts`,
    name: 'a limit takes a value that is not a function for a handler',
    find: 'if (!isFunction(handler))',
    replace: 'if (handler === null)',
  },
  {
    file: `${core}/client-address.ts`,
    name: 'the list of proxies is read from the left',
    find: 'entries.at(-Math.min(proxies, entries.length))',
    replace: 'entries.at(Math.min(proxies, entries.length) - 1)',
  },
  {
    file: `${core}/client-address.ts`,
    name: 'a header is trusted by default',
    find: 'return { of: (request, platform) => lookups.peer(request, platform),',
    replace:
      "return { of: (request, platform) => textOf(lookups.header(request, platform, 'x-forwarded-for')) ?? lookups.peer(request, platform),",
  },
  {
    file: `${core}/client-address.ts`,
    name: 'an option that is undefined is unknown',
    find: '.filter(([, each]) => each !== undefined)',
    replace: '',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'the body of a lease is not followed',
    find: 'isSent && !aborted ?',
    replace: 'isSent && aborted ?',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'a listener stays on the signal after the response',
    find: 'for (const cancel of this.#listeners ?? []) cancel()',
    replace: '',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'a body that nothing reads holds its lease',
    find: 'setTimeout(over, Math.min(unreadMs, longestTimerMs), false)',
    replace: 'setTimeout(() => over, Math.min(unreadMs, longestTimerMs))',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'a lease is released twice',
    find: 'if (isCalled) return\n',
    replace: '',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'a response to a client that has disconnected is a success',
    find: 'status !== 101 && this.#request.signal?.aborted === true',
    replace: 'false',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'an upgrade on Deno is a failure',
    find: 'status !== 101 && ',
    replace: '',
  },
  {
    file: `${core}/fetch-exchange.ts`,
    name: 'a response that cannot be written counts twice',
    find: '    this.#whenOver = undefined\n',
    replace: '',
  },
  {
    file: `${core}/web-view.ts`,
    name: 'the headers are copied at each access',
    find: '(this.copied ??= Object.fromEntries(this.web.headers))',
    replace: 'Object.fromEntries(this.web.headers)',
  },
  {
    file: `${root}/responses.ts`,
    name: 'a redirect has no headers of the limit',
    find: 'return written(new Response(response.body, response), fields)',
    replace: 'return new Response(response.body, response)',
  },
  {
    file: `${root}/responses.ts`,
    name: 'the denial of a HEAD request has a body',
    find: "request.method === 'HEAD' || nullBodyStatuses",
    replace: 'nullBodyStatuses',
  },
  {
    file: `${root}/request-limits.ts`,
    name: 'the headers of one limit alone are written',
    find: 'of joinFields(this, fields))',
    replace: 'of fields)',
  },
  {
    file: `${root}/request-limits.ts`,
    name: 'a Request that is used again has the headers of its first use',
    find: 'this.#fields.clear()',
    replace: '',
  },
  {
    file: `${root}/request-limits.ts`,
    name: 'the headers of a limit are lost if the Request was replaced',
    find: 'this.add(last.fields)',
    replace: '',
  },
  {
    file: `${root}/request-limits.ts`,
    name: 'a response has the headers of an earlier request',
    find: 'last.#number > this.#number &&',
    replace: '',
  },
  {
    file: `${root}/answers.ts`,
    name: 'a body that cannot be read holds its lease',
    find: 'copied.\n      return thrown(asked, error)',
    replace: 'copied.\n      throw error',
  },
  {
    file: `${root}/answers.ts`,
    name: 'a waitUntil that throws replaces the response',
    find: 'warnOfFailure(error)',
    replace: 'throw error',
  },
  {
    file: `${root}/answers.ts`,
    name: 'the runtime does not wait for a refund',
    find: 'wait?.(settled)',
    replace: 'void wait',
  },
  {
    file: `${root}/answers.ts`,
    name: 'a thrown Response has no headers',
    find: 'if (isResponse(error)) return finished(asked, error)',
    replace: '',
  },
  {
    file: `${root}/answers.ts`,
    name: 'a handler that throws is a success',
    find: 'failed(statusOfError?.(error) ?? 500)',
    replace: 'failed(200)',
  },
  {
    file: `${root}/answers.ts`,
    name: 'a denied request continues twice',
    find: 'continued ??= callNext()',
    replace: 'continued = callNext()',
  },
  {
    file: `${root}/platform.ts`,
    name: 'a header that srvx reads is the address',
    find: "if (runtime !== 'node' && runtime !== 'bun' && runtime !== 'deno') return undefined",
    replace: '',
  },
  {
    file: `${root}/fetch-adapter.ts`,
    name: 'a limit within another one has no address',
    find: ' ?? outermost?.address',
    replace: '',
  },
  {
    file: `${root}/fetch-adapter.ts`,
    name: 'a check allows options that need the response',
    find: 'guard.checkUnseen(view, exchange, limits)',
    replace: 'guard.check(view, exchange, limits)',
  },
  {
    file: `${root}/astro/middleware.ts`,
    name: 'Astro takes the address that a client wrote',
    find: 'address === first?.trim() ? undefined : address',
    replace: 'first === address ? address : address',
  },
  {
    file: `${root}/next/route-handlers.ts`,
    name: 'a redirect of Next.js is a failure',
    find: "code === 'NEXT_REDIRECT' ? digest.split(';').at(-2) : first",
    replace: 'first',
  },
]
