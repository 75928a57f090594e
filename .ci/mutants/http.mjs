const http = 'packages/core/src/http'

export const area = 'http'

export const tests = [
  'packages/core/test/http/guard packages/core/test/http/settlement packages/core/test/http/denial.test packages/core/test/http/header-fields packages/core/test/http/joined-fields',
  'packages/core/test/http',
]

export const mutants = [
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets nothing',
    find: 'if (resetOn !== undefined && isSuccess(outcome)) {',
    replace: 'if (resetOn !== undefined && !isSuccess(outcome)) {',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets what others hold',
    find: "kind === 'concurrency' || names",
    replace: "kind === '' || names",
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets the policies that are not named',
    find: '|| names?.includes(name) === false',
    replace: '',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'an answer that nobody got is a success',
    find: 'return status < 400 && !aborted',
    replace: 'return status < 400 || (aborted && status < 400)',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a denied request that goes on is not settled',
    find: 'if (allowed ? byOutcome : resetOn !== undefined) whenOver',
    replace: 'if (allowed && byOutcome) whenOver',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a lease is not released',
    find: 'await decision.lease?.release()',
    replace: '',
  },
  {
    file: `${http}/guard/guard.ts`,
    name: 'an error that is none of an object is thrown as it is',
    find: "throw sluiceErrorFrom(error, 'SLUICE_THROWN', name, error)",
    replace: "throw error ?? sluiceErrorFrom(error, 'SLUICE_THROWN', name, error).cause",
  },
  {
    file: `${http}/guard/guard.ts`,
    name: 'what a handler of denials throws is not caught',
    find: 'guarded(() => call(handler))',
    replace: '[call].map((own) => own(handler) as never)[0]',
  },
  {
    file: `${http}/guard/guard.ts`,
    name: 'a request goes on twice',
    find: 'if (proceeds) return\n',
    replace: '',
  },
  {
    file: `${http}/guard/guard.ts`,
    name: 'a response that goes on keeps Retry-After',
    find: "if (!response.headersSent) written.removeHeader('Retry-After')",
    replace: '',
  },
  {
    file: `${http}/guard/in-order.ts`,
    name: 'of two limiters the first one’s headers are lost',
    find: '[...new Map([...written, ...joined])]',
    replace: '[...new Map([...joined])]',
  },
  {
    file: `${http}/answer/retry-after.ts`,
    name: 'a client is told to wait for leases',
    find: '.filter((name) => !isLeased(policies, name))',
    replace: '.filter((name) => !isLeased(policies, name) || name !== "")',
  },
  {
    file: `${http}/answer/draft-fields.ts`,
    name: 'a full quota says that more comes at once',
    find: 'nextMs === 0 || !policy.isTimed',
    replace: '!policy.isTimed',
  },
  {
    file: `${http}/answer/older-fields.ts`,
    name: 'a denial tells a reset other than its Retry-After',
    find: 'allowed ? seconds(resetMs) : retryAfter()',
    replace: 'allowed || resetMs > 0 ? seconds(resetMs) : retryAfter()',
  },
  {
    file: `${http}/answer/denial.ts`,
    name: 'an Accept header of any length is read',
    find: 'if (header.length > maxAcceptLength) return false',
    replace: '',
  },
  {
    file: `${http}/lists/address-ranges.ts`,
    name: 'the last address of a range is outside',
    find: 'key <= this.#ranges[from - 1].last',
    replace: 'key < this.#ranges[from - 1].last',
  },
  {
    file: `${http}/request/response.ts`,
    name: 'an answer that was cut off was sent',
    find: 'aborted: !response.writableEnded || !sent',
    replace: 'aborted: !response.writableEnded',
  },
]
