// The algorithms as the page offers them and as the server applies them: one place for both, so that they cannot differ.
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
  // A browser opens six connections to a server: those that are held must leave room for the next request.
  queue: { least: 0, most: 3, usual: 3 },
  // Of these six connections one carries the events and one the request that is denied.
  atOnce: { least: 1, most: 4, usual: 3 },
  work: { least: 1, most: 5, usual: 2 },
}

/** Each algorithm: its name and idea, what its numbers are called, which of them bounds its level, and the options that they make. */
export const algorithms = {
  fixedWindow: {
    name: 'Fixed window',
    idea: 'Counts from the first request on, and starts again from zero when the window is over. What came just before does not matter then.',
    numbers: { limit: 'Limit', window: 'Window' },
    level: 'limit',
    build: fixedWindow,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  slidingWindow: {
    name: 'Sliding window',
    idea: 'Two counters. The requests of the older window count as if they had come evenly between the first and the last of them.',
    numbers: { limit: 'Limit', window: 'Window' },
    level: 'limit',
    build: slidingWindow,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  slidingLog: {
    name: 'Sliding log',
    idea: 'Remembers when each request was allowed. No interval as long as the window ever contains more than the limit.',
    numbers: { limit: 'Limit', window: 'Window' },
    level: 'limit',
    build: slidingLog,
    options: ({ limit, window }) => ({ limit, window: `${window}s` }),
  },
  gcra: {
    name: 'GCRA',
    idea: 'Spreads the limit evenly over the window, and lets an idle client run ahead by the burst. Its state is one moment in time.',
    numbers: { limit: 'Limit', window: 'Window', burst: 'Burst' },
    level: 'burst',
    build: gcra,
    options: ({ limit, window, burst }) => ({ limit, window: `${window}s`, burst }),
  },
  tokenBucket: {
    name: 'Token bucket',
    idea: 'Tokens drip in all the time until the bucket is full. Each request takes one; without a token it is denied.',
    numbers: { burst: 'Capacity', limit: 'Refill', window: 'Every' },
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
    idea: 'Each request pours one unit in, and the bucket drains all the time. What would make it overflow is denied.',
    numbers: { burst: 'Capacity', limit: 'Leak', window: 'Every' },
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

/** The policy that an algorithm makes of numbers. */
export function policyOf(algorithm, numbers) {
  const { build, options } = algorithms[algorithm]
  return build(options(numbers))
}

/** The same policy as a programmer writes it. */
export function codeOf(algorithm, numbers) {
  const options = Object.entries(algorithms[algorithm].options(numbers))
  const written = options.map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? `'${value}'` : value}`
  })
  return `import {
  rateLimit,
  ${algorithm},
} from '@sluice/express'

app.use(rateLimit({
  policy: ${algorithm}({
    ${written.join(',\n    ')},
  }),
}))`
}

/** The numbers in a query, the usual ones where it is silent. Throws a RangeError that says what to send instead. */
export function readNumbers(query) {
  const read = ([name, { least, most, usual }]) => {
    const value = query[name] === undefined ? usual : Number(query[name])
    if (Number.isInteger(value) && value >= least && value <= most) return [name, value]
    throw new RangeError(`${name} has to be a whole number from ${least} to ${most}`)
  }
  return Object.fromEntries(Object.entries(ranges).map(read))
}

/** Who asks, by which policy, and how long the work takes. */
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
