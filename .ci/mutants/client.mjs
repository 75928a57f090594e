const root = 'packages/client/src'

export const area = 'client'

export const tests = ['packages/client/test']

export const mutants = [
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a call that may not wait is sent',
    find: 'if (!first.allowed) throw',
    replace: 'if (first === undefined) throw',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'no block is set',
    find: '        await limiter.block(key, lengthMs)\n',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a shorter block replaces a longer one',
    find: 'blockedMs >= lengthMs)) return true',
    replace: 'blockedMs < 0)) return true',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a server stops an application for a day',
    find: 'Math.min(Math.ceil(waitMs), longestBlockMs)',
    replace: 'Math.ceil(waitMs)',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a retry does not wait if the key cannot be blocked',
    find: 'if (!isObeyed) await call.pause(waitMs)',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'any status is tried again',
    find: ' && response.status === 429',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'any call is tried again',
    find: ' && isRepeatable(input, init)',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a call is tried again for ever',
    find: 'retry < retries && ',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a retry may be later than maxWait',
    find: ' || waitMs > call.leftMs()) return response',
    replace: ') return response',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a retry that the limiter denies is sent',
    find: 'if (!next.allowed) return response',
    replace: '',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'the signal ends no wait',
    find: '...(signal && { signal })',
    replace: '...(signal && {})',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'the signal of a request ends no wait',
    find: "own === undefined ? memberOf(input, 'signal') : own",
    replace: 'own',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a call that fails keeps its lease',
    find: 'await settled(release)\n  }\n}',
    replace: 'release.toString()\n  }\n}',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'calls count by the URL',
    find: 'urlOf(input).host',
    replace: 'urlOf(input).href',
  },
  {
    file: `${root}/call.ts`,
    name: 'a POST is tried again',
    find: "'PUT', 'DELETE'",
    replace: "'PUT', 'DELETE', 'POST'",
  },
  {
    file: `${root}/call.ts`,
    name: 'the method of a request is not read',
    find: " ?? memberOf(input, 'method')",
    replace: '',
  },
  {
    file: `${root}/call.ts`,
    name: 'the body of a request is sent twice',
    find: " ?? memberOf(input, 'body')",
    replace: '',
  },
  {
    file: `${root}/call.ts`,
    name: 'a stream is sent twice',
    find: 'body === undefined || isKept(body)',
    replace: 'body === undefined || isKept(body) || true',
  },
  {
    file: `${root}/call.ts`,
    name: 'a kept body is sent once',
    find: 'ArrayBuffer.isView(body) ||',
    replace: '',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'Retry-After of any status is obeyed',
    find: 'if (status === 429 || status === 503) {',
    replace: 'if (status > 0) {',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'Retry-After of a 503 is ignored',
    find: 'status === 429 || status === 503',
    replace: 'status === 429',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'moments are compared with the clock of this machine',
    find: '(date === null ? undefined : momentIn(date)) ?? Date.now()',
    replace: 'Date.now()',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'a limit with a rest blocks',
    find: 'remaining === 0 && reset',
    replace: 'reset',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'the shortest of several times is taken',
    find: 'Math.max(...waits)',
    replace: 'Math.min(...waits)',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'a 200 without a number that remains blocks',
    find: 'remaining === null ? status === 429',
    replace: 'remaining === null ? true',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'X-RateLimit is ignored',
    find: "'X-RateLimit', ",
    replace: '',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'seconds since 1970 are seconds from now',
    find: 'const leastEpochSeconds = 1e9',
    replace: 'const leastEpochSeconds = 1e11',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'milliseconds since 1970 are seconds',
    find: 'const leastEpochMs = 1e11',
    replace: 'const leastEpochMs = 1e14',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'a moment that has passed is a negative wait',
    find: 'Math.max(0, moment - now)',
    replace: 'moment - now',
  },
  {
    file: `${root}/server-wait.ts`,
    name: 'the form of asctime is in local time, or nothing',
    find: 'if (!isAsctime && !datesOfHttp',
    replace: 'if (!datesOfHttp',
  },
  {
    file: `${root}/rate-limit-field.ts`,
    name: 'a field that is cut off is read',
    find: 'if (parameters === undefined) return []',
    replace: 'if (parameters === undefined) return limits',
  },
  {
    file: `${root}/rate-limit-field.ts`,
    name: 'a comma may end the field',
    find: '(?:,(?=[ \\\\t]*\\\\S)|$)',
    replace: '(?:,|$)',
  },
  {
    file: `${root}/rate-limit-field.ts`,
    name: 'draft 7 is not read',
    find: 'if (dictionary.test(field)) {',
    replace: 'if (field === dictionary.source) {',
  },
  {
    file: `${root}/limited-fetch.ts`,
    name: 'a wait that the server names ends an exemption',
    find: '        if (policies.some(({ exemptMs }) => exemptMs > 0)) return false\n',
    replace: '',
  },
]
