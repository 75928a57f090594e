const redis = 'packages/core/src/stores/redis'
const pipeline = 'packages/core/src/stores/pipeline'
const fallback = 'packages/core/src/limiter/fallback.ts'

export const area = 'pipeline'

export const tests = [
  'packages/core/test/pipeline/late packages/core/test/pipeline/deny-cache-pending packages/core/test/pipeline/shares packages/core/test/pipeline/status packages/core/test/http/denials-remembered',
  'packages/core/test/pipeline/deadline packages/core/test/pipeline/request-bound packages/core/test/pipeline/breaker packages/core/test/pipeline/deny-cache.test packages/core/test/pipeline/fallback packages/core/test/pipeline/events packages/core/test/pipeline/store-events',
  'packages/core/test/pipeline/deny-cache-truth',
]

export const mutants = [
  {
    file: `${pipeline}/timers.ts`,
    name: 'the deadline of the first call is that of all',
    find: 'deadlines.filter((deadline) => deadline.due <= until)',
    replace: 'deadlines.slice()',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'only the first of several calls has a deadline',
    find: 'if (deadlines.length > 0 && deadlines[0].due < timerDue) set(deadlines[0].due, now)',
    replace: '',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'an answered call keeps its deadline',
    find: 'if (at === 0) deadlines.shift()',
    replace: 'if (at === 0) return',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'a timer without a call keeps the process alive',
    find: 'keepProcess(timer, false)',
    replace: 'keepProcess(timer, true)',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'a call does not keep the process alive',
    find: 'keepProcess(timer, true)',
    replace: '',
  },
  {
    file: `${pipeline}/pipeline.ts`,
    name: 'what a late answer took stays taken',
    find: 'late.forEach(transport.add)',
    replace: '',
  },
  {
    file: `${pipeline}/pipeline.ts`,
    name: 'a late denial is given back',
    find: "!('allowed' in late) || !late.allowed",
    replace: "!('allowed' in late)",
  },
  {
    file: `${pipeline}/pipeline.ts`,
    name: 'requests that were answered late are answered twice',
    find: '.filter((i) => !pending[i].isAnswered)',
    replace: '.filter((i) => pending[i] !== undefined)',
  },
  {
    file: `${pipeline}/pipeline.ts`,
    name: 'request-bound requests share their timers',
    find: 'isRequestBound ? ownTimers(expire) : sharedTimers(expire)',
    replace: 'sharedTimers(expire)',
  },
  {
    file: `${pipeline}/pipeline.ts`,
    name: 'a request waits for a ping in the background of another',
    find: 'isRequestBound ? undefined : pingInTime',
    replace: 'pingInTime',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'the timer of an answered request stays',
    find: 'clearTimeout(timer))',
    replace: 'void timer)',
  },
  {
    file: `${redis}/batches.ts`,
    name: 'request-bound requests wait for each other',
    find: 'if (isRequestBound || open === waiting.length) sendAll()',
    replace: 'if (open === waiting.length) sendAll()',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a refund is aborted with its deadline',
    find: 'AbortSignal.timeout(isRefund ? refundMs : timeoutMs)',
    replace: 'AbortSignal.timeout(timeoutMs)',
  },
  {
    file: `${pipeline}/breaker.ts`,
    name: 'the breaker judges its own peek as a request',
    find: 'if (pending.length === 1 && pending[0].isProbe) return',
    replace: '',
  },
  {
    file: `${pipeline}/timers.ts`,
    name: 'a busy process takes an answer that lies there for a late one',
    find: 'checkPhase(() => expireUntil(due))',
    replace: 'expireUntil(due)',
  },
  {
    file: `${pipeline}/breaker.ts`,
    name: 'failures that were interrupted by an answer are counted on',
    find: '#startOver(): void {\n    this.#failures = 0',
    replace: '#startOver(): void {',
  },
  {
    file: `${pipeline}/breaker.ts`,
    name: 'all requests that come together try a store that is back',
    find: 'this.#mayTry = false\n    return undefined',
    replace: 'return undefined',
  },
  {
    file: `${pipeline}/breaker.ts`,
    name: 'one key that is refused often opens the breaker',
    find: 'return this.#refusedKeys.size > known',
    replace: 'return this.#refusedKeys.size >= known',
  },
  {
    file: `${pipeline}/breaker.ts`,
    name: 'a store that has answered a moment ago is left alone',
    find: 'const isLately = processTime.monotonic() - this.#answeredAt < quietMs',
    replace: 'const isLately = processTime.monotonic() - this.#answeredAt < 0',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'what gives back is forgotten before it is sent only',
    find: "} else if (request.verb !== 'peek') this.#change(request)",
    replace: '}',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'what gives back is forgotten when it is done only',
    find: 'this.#change(request)\n      return undefined',
    replace: 'return undefined',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'a denial that was under way when its key was changed is remembered',
    find: ' && generation === this.#generationOf(request)) {',
    replace: ') {',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'a limiter without deny cache has one',
    find: 'request.fresh !== true &&',
    replace: '',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
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
  {
    file: 'packages/core/src/stores/store.ts',
    name: 'a late answer about an exempt key is refunded',
    find: 'if (!receipts.some(isExempt)) return [whole]',
    replace: 'if (receipts.length > 0) return [whole]',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'a denial is remembered for a policy that was exempt',
    find: '  if (isExempt(state)) return false\n',
    replace: '',
  },
  {
    file: `${pipeline}/deny-cache.ts`,
    name: 'a remembered denial outlives the exemption of another policy',
    find: '    if (isExempt(state) && -blockedUntil <= state.now) return undefined\n',
    replace: '',
  },
  {
    file: `${pipeline}/store-calls.ts`,
    name: 'a call is published with each of its answers',
    find: 'if (--call.open > 0) continue',
    replace: 'call.open--',
  },
  {
    file: `${pipeline}/store-calls.ts`,
    name: 'the event of a call has its last error',
    find: 'call.error ??= answer',
    replace: 'call.error = answer',
  },
  {
    file: `${pipeline}/store-calls.ts`,
    name: 'the event of a call has no error',
    find: 'if (hasFailed(answer)) call.error ??= answer',
    replace: '',
  },
  {
    file: `${pipeline}/store-calls.ts`,
    name: 'the event of a call counts one request',
    find: 'requests: length',
    replace: 'requests: 1',
  },
  {
    file: `${redis}/index.ts`,
    name: 'calls are noted without a subscriber',
    find: 'if (storeEvents.storeCall.hasSubscribers) noteCall',
    replace: 'noteCall',
  },
]
