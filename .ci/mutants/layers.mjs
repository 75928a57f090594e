const layers = 'packages/core/src/stores/layers'
const fallback = 'packages/core/src/limiter/fallback.ts'

export const area = 'layers'

export const tests = [
  'packages/core/test/layers/late packages/core/test/layers/deny-cache-pending packages/core/test/layers/shares packages/core/test/layers/status packages/core/test/http/denials-remembered',
  'packages/core/test/layers/deadline packages/core/test/layers/breaker packages/core/test/layers/deny-cache.test packages/core/test/layers/fallback packages/core/test/layers/events',
  'packages/core/test/layers/deny-cache-truth',
]

export const mutants = [
  {
    file: `${layers}/timeouts.ts`,
    name: 'the deadline of the first call is that of all',
    find: 'if (call.due <= until)',
    replace: 'if (until > 0)',
  },
  {
    file: `${layers}/timeouts.ts`,
    name: 'only the first of several calls has a deadline',
    find: 'if (next < timerDue) set(next, now)',
    replace: '',
  },
  {
    file: `${layers}/timeouts.ts`,
    name: 'an answered call keeps its deadline',
    find: 'remove(call)\n      if (calls.after',
    replace: 'if (calls.after',
  },
  {
    file: `${layers}/timeouts.ts`,
    name: 'a timer without a call keeps the process alive',
    find: 'keepAlive(timer, false)',
    replace: 'keepAlive(timer, true)',
  },
  {
    file: `${layers}/timeouts.ts`,
    name: 'a call does not keep the process alive',
    find: 'keepAlive(timer, true)',
    replace: '',
  },
  {
    file: `${layers}/deadline.ts`,
    name: 'what a late answer took stays taken',
    find: 'refundLate(requests, answers)\n            return',
    replace: '',
  },
  {
    file: `${layers}/deadline.ts`,
    name: 'a late denial is given back',
    find: "!('allowed' in answer) || !answer.allowed",
    replace: "!('allowed' in answer)",
  },
  {
    file: `${layers}/timeouts.ts`,
    name: 'a busy process takes an answer that lies there for a late one',
    find: 'nextTurn(() => expireUntil(due))',
    replace: 'expireUntil(due)',
  },
  {
    file: `${layers}/breaker.ts`,
    name: 'failures that were interrupted by an answer are counted on',
    find: 'function startOver(): void {\n    failures = 0',
    replace: 'function startOver(): void {',
  },
  {
    file: `${layers}/breaker.ts`,
    name: 'all requests that come together try a store that is back',
    find: 'mayTry = false\n      run(',
    replace: 'run(',
  },
  {
    file: `${layers}/breaker.ts`,
    name: 'one key that is refused often opens the breaker',
    find: 'return refusedKeys.size > known',
    replace: 'return refusedKeys.size >= known',
  },
  {
    file: `${layers}/breaker.ts`,
    name: 'a store that has answered a moment ago is left alone',
    find: 'const isLately = processTime.monotonic() - answeredAt < quietMs',
    replace: 'const isLately = processTime.monotonic() - answeredAt < 0',
  },
  {
    file: `${layers}/deny-cache.ts`,
    name: 'what gives back is forgotten before it is sent only',
    find: 'const answer = answers[i]\n      if (!isDecision(request)) forgetChanged(request)',
    replace: 'const answer = answers[i]',
  },
  {
    file: `${layers}/deny-cache.ts`,
    name: 'what gives back is forgotten when it is done only',
    find: 'for (const request of requests) if (!isDecision(request)) forgetChanged(request)',
    replace: '',
  },
  {
    file: `${layers}/deny-cache.ts`,
    name: 'a denial that was under way when its key was changed is remembered',
    find: '&& !isChanged(request, changed)) {',
    replace: ') {',
  },
  {
    file: `${layers}/deny-cache.ts`,
    name: 'a limiter without deny cache has one',
    find: 'request.fresh !== true &&',
    replace: '',
  },
  {
    file: `${layers}/deny-cache.ts`,
    name: 'a block that the store would start is passed over',
    find: "if (block?.on === 'exceeded' && !isBlocked) return undefined",
    replace: "if (block?.on === 'exceeded' && isBlocked) return undefined",
  },
  {
    file: fallback,
    name: 'what the store took is given back to the fallback',
    find: "if (verb === 'refundReceipt') return nothingDone",
    replace: '',
  },
  {
    file: fallback,
    name: 'a decision of the fallback is given back to the store',
    find: "request.source === 'fallback' ? locally",
    replace: "request.source === 'open' ? locally",
  },
  {
    file: fallback,
    name: 'each failure begins an outage',
    find: 'if (isReplacing === wasReplacing) return',
    replace: 'if (isReplacing !== wasReplacing) return',
  },
  {
    file: fallback,
    name: 'a status is answered without counts',
    find: "(verb !== 'peek' || request.fromCounts === true)",
    replace: "verb !== 'peek'",
  },
]
