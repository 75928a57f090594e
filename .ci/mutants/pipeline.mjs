const redis = 'packages/core/src/stores/redis'
const pipeline = 'packages/core/src/stores/pipeline'
const fallback = 'packages/core/src/limiter/fallback.ts'

export const area = 'pipeline'

export const tests = [
  'packages/core/test/pipeline/late packages/core/test/pipeline/deny-cache-pending packages/core/test/pipeline/shares packages/core/test/pipeline/status packages/core/test/http/denials-remembered',
  'packages/core/test/pipeline/deadline packages/core/test/pipeline/breaker packages/core/test/pipeline/deny-cache.test packages/core/test/pipeline/fallback packages/core/test/pipeline/events',
  'packages/core/test/pipeline/deny-cache-truth',
]

export const mutants = [
  {
    file: `${pipeline}/deadlines.ts`,
    name: 'the deadline of the first call is that of all',
    find: 'calls.filter((call) => call.due <= until)',
    replace: 'calls.slice()',
  },
  {
    file: `${pipeline}/deadlines.ts`,
    name: 'only the first of several calls has a deadline',
    find: 'if (calls.length > 0 && calls[0].due < timerDue) set(calls[0].due, now)',
    replace: '',
  },
  {
    file: `${pipeline}/deadlines.ts`,
    name: 'an answered call keeps its deadline',
    find: 'if (at === 0) calls.shift()',
    replace: 'if (at === 0) return',
  },
  {
    file: `${pipeline}/deadlines.ts`,
    name: 'a timer without a call keeps the process alive',
    find: 'keepAlive(timer, false)',
    replace: 'keepAlive(timer, true)',
  },
  {
    file: `${pipeline}/deadlines.ts`,
    name: 'a call does not keep the process alive',
    find: 'keepAlive(timer, true)',
    replace: '',
  },
  {
    file: `${redis}/index.ts`,
    name: 'what a late answer took stays taken',
    find: 'refundLate(batch.requests, answers)\n      return',
    replace: 'return',
  },
  {
    file: `${redis}/index.ts`,
    name: 'a late denial is given back',
    find: "!('allowed' in answer) || !answer.allowed",
    replace: "!('allowed' in answer)",
  },
  {
    file: `${pipeline}/deadlines.ts`,
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
]
