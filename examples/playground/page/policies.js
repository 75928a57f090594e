// The algorithms of the page and of the server, in one place, so that they cannot differ.
import {
  concurrency,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@sluice/core'

/** The numbers that can be chosen. Windows and work are in seconds. */
export const ranges = {
  limit: { least: 1, most: 10, usual: 5 },
  window: { least: 1, most: 10, usual: 4 },
  burst: { least: 1, most: 10, usual: 3 },
  // A browser opens six connections to a server. The delayed requests must leave one for the next request.
  queue: { least: 0, most: 3, usual: 3 },
  // One of these six connections carries the events, and one the denied request.
  atOnce: { least: 1, most: 4, usual: 3 },
  work: { least: 1, most: 5, usual: 2 },
  granted: { least: 0, most: 10, usual: 0 },
}

/** Each algorithm: its name and idea, the names of its numbers, the bound of its level, and its options. */
export const algorithms = {
  fixedWindow: {
    name: 'Fixed window',
    idea: 'Counts from the first request on, and starts again from zero when the window ends. The requests just before then do not matter.',
    numbers: { limit: 'Limit', window: 'Window', granted: 'Granted' },
    level: 'limit',
    build: fixedWindow,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  slidingWindow: {
    name: 'Sliding window',
    idea: 'Two counters. The requests of the older window count as if they were evenly spread between the first and the last of them.',
    numbers: { limit: 'Limit', window: 'Window', granted: 'Granted' },
    level: 'limit',
    build: slidingWindow,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  slidingLog: {
    name: 'Sliding log',
    idea: 'Remembers when each request was allowed. No interval as long as the window ever contains more than the limit.',
    numbers: { limit: 'Limit', window: 'Window', granted: 'Granted' },
    level: 'limit',
    build: slidingLog,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  gcra: {
    name: 'GCRA',
    idea: 'Spreads the limit evenly over the window, and allows an idle client a burst. Its state is one timestamp.',
    numbers: { limit: 'Limit', window: 'Window', burst: 'Burst', granted: 'Granted' },
    level: 'burst',
    build: gcra,
    options: ({ limit, window, burst }) => ({ limit, window: `${window}s`, burst }),
  },
  tokenBucket: {
    name: 'Token bucket',
    idea: 'Tokens refill continuously until the bucket is full. Each request takes one; without a token it is denied.',
    numbers: { burst: 'Capacity', limit: 'Refill', window: 'Every', granted: 'Granted' },
    level: 'capacity',
    build: tokenBucket,
    options: ({ limit, window, burst }) => ({
      capacity: burst,
      refill: limit,
      every: `${window}s`,
    }),
  },
  leakyBucket: {
    name: 'Leaky bucket',
    idea: 'Each request adds one unit, and the bucket drains continuously. A request that would make it overflow is denied.',
    numbers: { burst: 'Capacity', limit: 'Leak', window: 'Every', granted: 'Granted' },
    level: 'capacity',
    build: leakyBucket,
    options: ({ limit, window, burst }) => ({ capacity: burst, leak: limit, every: `${window}s` }),
  },
  leakyQueue: {
    name: 'Leaky queue',
    idea: 'Delays requests instead of denying them, so that they start at an even pace. A request that would wait too long is denied.',
    numbers: { limit: 'Leak', window: 'Every', queue: 'Waiting at most' },
    level: 'waiting',
    build: leakyQueue,
    options: ({ limit, window, queue }) => ({
      leak: limit,
      every: `${window}s`,
      maxDelay: Math.floor((queue * window * 1000) / limit),
    }),
  },
  concurrency: {
    name: 'Concurrency',
    idea: 'Counts the requests that run at the same time. A request frees its unit when its response has ended, however long that takes.',
    numbers: { atOnce: 'Limit', work: 'Work takes' },
    level: 'limit',
    build: concurrency,
    options: ({ atOnce }) => ({ limit: atOnce, lease: '1m' }),
  },
}

/** The policy of an algorithm with these numbers. */
export function policyOf(algorithm, numbers) {
  const { build, options } = algorithms[algorithm]
  return build(options(numbers))
}

/** Whether a client of the algorithm can have a grant. */
export function hasGrants(algorithm) {
  return 'granted' in algorithms[algorithm].numbers
}

/** The same policy as code, and the grant of a client. */
export function codeOf(algorithm, numbers) {
  const options = Object.entries(algorithms[algorithm].options(numbers))
  const written = options.map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? `'${value}'` : value}`
  })
  const { granted } = numbers
  const isGranted = hasGrants(algorithm) && granted > 0
  return `import {
  rateLimit,
  ${algorithm},
} from '@sluice/express'

const limit = rateLimit({
  policies: ${algorithm}({
    ${written.join(',\n    ')},
  }),
})
app.use(limit)${isGranted ? `\n\nawait limit.limiter.grant('203.0.113.9', ${granted}, { for: '1m' })` : ''}`
}

/** The numbers in a query, with the usual ones as defaults. Throws a RangeError with the allowed range. */
export function readNumbers(query) {
  const read = ([name, { least, most, usual }]) => {
    const value = query[name] === undefined ? usual : Number(query[name])
    if (Number.isInteger(value) && value >= least && value <= most) return [name, value]
    throw new RangeError(`${name} has to be a whole number from ${least} to ${most}`)
  }
  return Object.fromEntries(Object.entries(ranges).map(read))
}

/** The client (`run`), the policy, and the duration of the work. */
export function readQuestion(query) {
  const { run, algorithm = 'slidingWindow' } = query
  if (typeof run !== 'string' || !/^[\w-]{1,40}$/.test(run)) {
    throw new RangeError('run has to be a name of 1 to 40 letters, digits, _ and -')
  }
  if (!Object.hasOwn(algorithms, algorithm)) {
    throw new RangeError(`algorithm has to be one of ${Object.keys(algorithms).join(', ')}`)
  }
  const numbers = readNumbers(query)
  return { run, policy: policyOf(algorithm, numbers), workMs: numbers.work * 1000 }
}
