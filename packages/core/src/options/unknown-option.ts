import { didYouMean } from '../errors/did-you-mean.js'
import { sluiceError, type SluiceError } from '../errors.js'

/**
 * The error for an option that a function does not have, with the first suggestion that applies: the name in Sluice for a name of another library,
 * a policy that takes the option, advice for an option without a counterpart, or the nearest name.
 */
export function unknownOption(
  where: string,
  option: string,
  known: readonly string[],
): SluiceError {
  const words = own(renamedOptions, option) ?? {}
  const renamed = Object.entries(words).find(([ours]) => known.includes(ours))
  if (renamed !== undefined) return sluiceError('SLUICE_OPTION_RENAMED', where, option, ...renamed)

  const policy = own(policyOptions, option)
  if (policy !== undefined && known.includes('policies')) {
    return sluiceError('SLUICE_OPTION_MISPLACED', where, option, policy)
  }

  const advice = own(unsupportedOptions, option) ?? didYouMean(option, known)
  return sluiceError('SLUICE_OPTION_UNKNOWN', where, option, known, advice)
}

/** Every object inherits names such as `constructor`: only its own names count. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

const perMinute = `limit: 100, window: '1m'`
const sliding = `slidingWindow({ ${perMinute} })`
const buckets = `slidingWindow({ ${perMinute}, buckets: 6 })`
const aligned = `fixedWindow({ ${perMinute}, align: 'clock' })`
const calendar = `calendarWindow({ limit: 1000, period: 'day', timeZone: 'UTC' })`
const tokens = `tokenBucket({ capacity: 10, refill: 1, every: '1s' })`
const stages = `staged({ free: ${calendar}, then: gcra({ limit: 1, window: '2s' }) })`

/** The options of policies, each with a policy that takes it. The errors of functions that take whole policies suggest these policies. */
export const policyOptions: Readonly<Record<string, string>> = {
  limit: sliding,
  window: sliding,
  algorithm: sliding,
  block: `slidingWindow({ ${perMinute}, block: { for: '15m', on: 'exceeded' } })`,
  burst: `gcra({ ${perMinute}, burst: 20 })`,
  buckets,
  tail: buckets,
  align: aligned,
  offset: aligned,
  period: calendar,
  timeZone: calendar,
  weekStartsOn: calendar,
  capacity: tokens,
  refill: tokens,
  every: tokens,
  initial: tokens,
  leak: `leakyBucket({ capacity: 10, leak: 1, every: '1s' })`,
  maxDelay: `leakyQueue({ leak: 10, every: '1s', maxDelay: '5s' })`,
  lease: `concurrency({ limit: 10, lease: '30s' })`,
  free: stages,
  then: stages,
}

/** Options of other libraries that have no counterpart, each with advice. */
export const unsupportedOptions: Readonly<Record<string, string>> = {
  onBanReach: `A request that a block denies is denied like any other: answer it in "onDenied", or observe it with "onDecision"`,
  continueExceeding: `A denied request never extends a window or a block. Make repeated blocks longer: block: { for: '1m', on: 'exceeded', escalate: 2, max: '1d' } of a policy`,
  requestPropertyName:
    'The decision is in req.rateLimit (Express, Fastify, NestJS) or ctx.state.rateLimit (Koa)',
  validate:
    'Wrong options are errors in any case. A warning is silenced by its code: node --disable-warning=SLUICE_COUNTED_TWICE',
  logger:
    'Warnings go through process.emitWarning, and failures of the store to the channel "sluice:store:error" of node:diagnostics_channel',
  hook: 'In Fastify it is an option of the plugin. To count one route in another hook, place a limit there: preHandler: app.rateLimit({ … })',
  retryAfter: 'To send another Retry-After, set the header in "onDenied" and answer there',
}

/** The names of the option in Sluice, the likeliest first, each with a hint. The error shows the first one that the called function takes. */
export type RenamedOption = Readonly<Record<string, string>>

const count = 'a whole number; 0 denies everything'
const length = 'a duration in milliseconds or a string such as "1m"'
const lengthOrSeconds = `${length} (if it was in seconds, write "60s" for 60)`
const inPolicies = 'a policy holds it, such as slidingWindow({ limit: 100, window: "1m" })'
const blockFor = `block: { for: '15m', on: 'exceeded' } (if it was in seconds, write '60s' for 60)`
const backoff = `block: { for: '1m', on: 'exceeded', escalate: 2, max: '1d' }`
const ofRequest = 'a function from the request to its key; "notLimited" leaves the request out'
const entries = 'a list of addresses, ranges and keys, or accessList([…])'
const styles = `'draft', 'draft-7', 'draft-6', 'legacy', 'legacy-epoch', 'none' or a list of these`
const stores = 'memoryStore(), redisStore(client) or another store'
const maxKeys = 'the largest number of counts, 100,000 by default'
const content = 'a string, an object, or a function of the request and the decision'
const unavailable = `'allow' allows every request while the store is unavailable; 'local', the default, counts in this process`
const cached =
  'a key that Redis denied is denied in this process for up to a second; on by default, true or false'
const answering =
  'it answers in place of the 429, and is called with (req, res, next, decision) in Express, (ctx, next, decision) in Koa, ' +
  '(request, reply, decision) in Fastify, (context, decision) in NestJS, (decision, ...arguments) in limited()'
const observing =
  'called with (request, decision) for each decision; it does not answer the request'

const quota: RenamedOption = { limit: count, capacity: count, policies: inPolicies }
const window: RenamedOption = { window: length, every: length, policies: inPolicies }
const span: RenamedOption = {
  window: lengthOrSeconds,
  every: lengthOrSeconds,
  lease: lengthOrSeconds,
  for: lengthOrSeconds,
  policies: inPolicies,
}
const capacity: RenamedOption = { capacity: 'a whole number of units', burst: 'a whole number' }
const refill: RenamedOption = { refill: 'the number of tokens that are added in each "every"' }
const zone: RenamedOption = { timeZone: 'an IANA zone such as "Europe/Berlin"' }
const cost: RenamedOption = {
  cost: 'a whole number; for requests also a function that returns one',
}
const namespace: RenamedOption = {
  name: 'the namespace of the counters',
  prefix: 'the namespace of the counters',
}
const key: RenamedOption = { key: ofRequest }
const subnet: RenamedOption = {
  ipv6: 'the number of leading bits that identify a client, 64 by default',
  key: 'byIp({ ipv6: 56 }), with the number of leading bits that identify a client, 64 by default',
}
const allow: RenamedOption = { allow: `${entries}; a function of the request goes into "skip"` }
const deny: RenamedOption = {
  deny: `${entries}; answer a function's 403 in a middleware before it`,
}
const skip: RenamedOption = { skip: 'a function from the request to true or false' }
const headers: RenamedOption = { headers: styles }
const body: RenamedOption = { body: content }
const store: RenamedOption = { store: stores }
const onStoreError: RenamedOption = { onStoreError: unavailable }
const denyCache: RenamedOption = { denyCache: cached }
const listener: RenamedOption = { onDecision: observing, onDenied: answering }

/** The names of options in other libraries, and other likely names. */
export const renamedOptions: Readonly<Record<string, RenamedOption>> = {
  // Policies.
  max: quota,
  total: quota,
  points: { limit: count, capacity: count, ...cost, policies: inPolicies },
  tokens: { limit: count, capacity: count, ...cost, policies: inPolicies },
  windowMs: window,
  timeWindow: window,
  expire: window,
  interval: { every: length, window: length, policies: inPolicies },
  ttl: span,
  duration: span,
  bucketSize: capacity,
  maxTokens: capacity,
  refillRate: refill,
  tokensPerInterval: refill,
  timezone: zone,
  tz: zone,
  throttlers: { policies: 'a record from name to policy' },
  policy: { policies: 'one policy, or a record from name to policy' },
  limiter: { policies: inPolicies },
  identifier: {
    name: 'the headers show it for a limit without a name of its own; those of a record of policies show their own',
  },
  execEvenly: inPolicy('leakyQueue({ leak, every, maxDelay }) holds each request until its turn'),
  maxDelayMs: { maxDelay: length },

  // Blocks.
  blockDuration: { block: blockFor, ...inPolicy(blockFor) },
  exponentialBackoff: { block: backoff, ...inPolicy(backoff) },
  ban: inPolicy(`block: { for: '1h', on: 'exceeded' } blocks a key that exceeds its limit`),

  // Keys and costs.
  keyGenerator: key,
  getTracker: key,
  id: key,
  ipv6Subnet: subnet,
  ipv6SubnetPrefix: subnet,
  weight: cost,
  pointsToConsume: cost,
  keyPrefix: namespace,
  namespace,
  nameSpace: namespace,
  prefix: { name: 'the namespace of the counters' },
  groupId: { name: 'limiters of one name in one store count together' },
  generateKey: {
    name: `limiters of one name in one store count together; in NestJS see also scope: 'route', 'controller' or 'global'`,
  },

  // Exceptions.
  allowList: allow,
  whitelist: allow,
  whiteList: allow,
  whitelisted: allow,
  skipList: allow,
  denyList: deny,
  blacklist: deny,
  blackList: deny,
  blocklist: deny,
  skipIf: skip,
  ignoreUserAgents: {
    skip: 'a function from the request to true or false, which looks at the header',
  },
  skipFailedRequests: { count: `'successes' refunds failures` },
  skipSuccessfulRequests: { count: `'failures' refunds successes` },
  requestWasSuccessful: {
    count: 'a function from { status, aborted } to whether the request counts',
  },

  // Responses.
  handler: { onDenied: answering },
  onLimitReached: listener,
  onExceeded: listener,
  onExceeding: { onDecision: observing },
  onLimited: listener,
  message: body,
  errorMessage: body,
  errorResponseBuilder: body,
  status: { statusCode: 'a status from 200 to 599' },
  throw: {
    onDenied: 'it may throw, such as (ctx) => ctx.throw(429) in Koa',
  },
  standardHeaders: headers,
  legacyHeaders: headers,
  addHeaders: headers,
  addHeadersOnExceeding: headers,
  disableHeader: headers,
  enableDraftSpec: headers,
  setHeaders: headers,

  // Stores.
  db: store,
  driver: store,
  redis: store,
  storage: store,
  storeClient: store,
  cache: { maxKeys, store: `memoryStore({ maxKeys: 5000 }), with ${maxKeys}` },
  timeoutMs: { timeout: length, store: 'redisStore(client, { timeout: 250 }) has it' },
  passOnStoreError: onStoreError,
  skipOnError: onStoreError,
  insuranceLimiter: {
    onStoreError: `'local', the default, counts in this process while the store is unavailable, up to "localShare" of each limit`,
  },
  inMemoryBlockOnConsumed: denyCache,
}

function inPolicy(hint: string): RenamedOption {
  return { policies: `it belongs to a policy: ${hint}` }
}
