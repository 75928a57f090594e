import { didYouMean } from '../errors/did-you-mean.js'
import { SluiceError, sluiceError } from '../errors.js'

/** The error for all options that a function does not have: with the code of the first, and a line for each. */
export function unknownOptions(
  where: string,
  options: readonly string[],
  known: readonly string[],
): SluiceError {
  const all = options.map((option) => unknownOption(where, option, known))
  // Made here: the ten frames of a stack still reach the line of the application.
  return new SluiceError(all[0].code, all.map(({ message }) => message).join('\n'))
}

/**
 * The error for an option that a function does not have, with the first suggestion that applies: the name in Sluice for a name of another library,
 * a policy that takes the option, advice for an option without a counterpart, or the nearest name.
 */
function unknownOption(where: string, option: string, known: readonly string[]): SluiceError {
  const renamed = namesFor(option).find(([name]) => known.includes(name))
  if (renamed !== undefined) return sluiceError('SLUICE_OPTION_RENAMED', where, option, ...renamed)

  const [, policy] = policies.find(([options]) => options.split(' ').includes(option)) ?? []
  if (policy !== undefined && known.includes('policies')) {
    return sluiceError('SLUICE_OPTION_MISPLACED', where, option, policy)
  }

  // Every object inherits names such as `constructor`: only its own names count.
  const advice = Object.hasOwn(unsupported, option)
    ? unsupported[option]
    : didYouMean(option, known)
  return sluiceError('SLUICE_OPTION_UNKNOWN', where, option, known, advice)
}

/** The names in Sluice for an option of another library, the likeliest first, each with a hint. */
export function namesFor(option: string): readonly (readonly [name: string, hint: string])[] {
  return renamed
    .filter(([foreign]) => foreign.split(' ').includes(option))
    .flatMap(([, own, hint]) => {
      return own.split(' ').map((name) => [name, hint ?? hints[option] ?? hints[name]] as const)
    })
}

const perMinute = `limit: 100, window: '1m'`
const daily = `calendarWindow({ limit: 1000, period: 'day', timeZone: 'UTC' })`

/** Options of policies, and a policy that takes them. The errors of functions that take whole policies suggest these policies. */
export const policies: readonly (readonly [options: string, policy: string])[] = [
  ['limit window algorithm', `slidingWindow({ ${perMinute} })`],
  ['block', `slidingWindow({ ${perMinute}, block: { for: '15m', on: 'exceeded' } })`],
  ['burst', `gcra({ ${perMinute}, burst: 20 })`],
  ['buckets tail', `slidingWindow({ ${perMinute}, buckets: 6 })`],
  ['align offset', `fixedWindow({ ${perMinute}, align: 'clock' })`],
  ['period timeZone weekStartsOn', daily],
  ['capacity refill every initial', `tokenBucket({ capacity: 10, refill: 1, every: '1s' })`],
  ['leak', `leakyBucket({ capacity: 10, leak: 1, every: '1s' })`],
  ['maxDelay', `leakyQueue({ leak: 10, every: '1s', maxDelay: '5s' })`],
  ['lease', `concurrency({ limit: 10, lease: '30s' })`],
  ['free then', `staged({ free: ${daily}, then: gcra({ limit: 1, window: '2s' }) })`],
]

/** Options of other libraries that have no counterpart, each with advice. */
export const unsupported: Readonly<Record<string, string>> = {
  onBanReach: `A request that a block denies is denied like any other: answer it in "onDenied", or observe it with "onDecision"`,
  continueExceeding: `A denied request never extends a window or a block. Make repeated blocks longer: block: { for: '1m', on: 'exceeded', escalate: 2, max: '1d' } of a policy`,
  requestPropertyName:
    'The decision is in req.rateLimit (Express, Fastify, NestJS) or ctx.state.rateLimit (Koa)',
  validate:
    'Wrong options are errors in any case. A warning is silenced by its code: node --disable-warning=SLUICE_COUNTED_TWICE',
  resetExpiryOnChange: `A request does not extend a window. For one that each denied request extends, block: { for: '1m', on: 'exceeded' } of a policy is the nearest`,
  logger:
    'Warnings go through process.emitWarning, and failures of the store to the channel "sluice:store:error" of node:diagnostics_channel',
  hook: 'In Fastify it is an option of the plugin. To count one route in another hook, place a limit there: preHandler: app.sluice({ … })',
  retryAfter: 'To send another Retry-After, set the header in "onDenied" and answer there',
}

const count = 'a whole number; 0 denies everything'
const length = 'a duration in milliseconds or a string such as "1m"'
const lengthOrSeconds = `${length} (if it was in seconds, write "60s" for 60)`
const namespace = 'the namespace of the counters'
const together = 'limiters of one name in one store count together'
const entries = 'a list of addresses, ranges and keys, or accessList([…])'
const skip = 'a function from the request to true or false'
const subnet = 'the number of leading bits that identify a client, 64 by default'
const maxKeys = 'the largest number of counts, 100,000 by default'
const local = `'local', the default, counts in this process`
const inPolicy = 'it belongs to a policy'
const blockFor = `block: { for: '15m', on: 'exceeded' } (if it was in seconds, write '60s' for 60)`
const backoff = `block: { for: '1m', on: 'exceeded', escalate: 2, max: '1d' }`

/** A hint for each option of Sluice, and for each foreign name that needs another one. */
const hints: Readonly<Record<string, string>> = {
  limit: count,
  capacity: count,
  burst: 'a whole number',
  refill: 'the number of tokens that are added in each "every"',
  window: length,
  every: length,
  maxDelay: length,
  timeout: length,
  timeZone: 'an IANA zone such as "Europe/Berlin"',
  policies: 'a policy holds it, such as slidingWindow({ limit: 100, window: "1m" })',
  throttlers: 'a record from name to policy',
  policy: 'one policy, or a record from name to policy',
  execEvenly: `${inPolicy}: leakyQueue({ leak, every, maxDelay }) holds each request until its turn`,
  ban: `${inPolicy}: block: { for: '1h', on: 'exceeded' } blocks a key that exceeds its limit`,
  name: namespace,
  prefix: namespace,
  groupId: together,
  generateKey: `${together}; in NestJS see also scope: 'route', 'controller' or 'global'`,
  identifier:
    'the headers show it for a limit without a name of its own; those of a record of policies show their own',
  key: 'a function from the request to its key; "notLimited" leaves the request out',
  ipv6: subnet,
  cost: 'a whole number; for requests also a function that returns one',
  allow: `${entries}; a function of the request goes into "skip"`,
  deny: `${entries}; answer a function's 403 in a middleware before it`,
  skip,
  ignoreUserAgents: `${skip}, which looks at the header`,
  skipFailedRequests: `'successes' refunds failures`,
  skipSuccessfulRequests: `'failures' refunds successes`,
  requestWasSuccessful: 'a function from { status, aborted } to whether the request counts',
  onDecision: 'called with (request, decision) for each decision; it does not answer the request',
  onDenied:
    'it answers in place of the 429, and is called with (req, res, next, decision) in Express, (ctx, next, decision) in Koa, ' +
    '(request, reply, decision) in Fastify, (context, decision) in NestJS, (decision, ...arguments) in limited()',
  throw: 'it may throw, such as (ctx) => ctx.throw(429) in Koa',
  statusCode: 'a status from 200 to 599',
  headers: `'draft', 'draft-7', 'draft-6', 'legacy', 'legacy-epoch', 'none' or a list of these`,
  body: 'a string, an object, or a function of the request and the decision',
  store: 'memoryStore(), redisStore(client) or another store',
  maxKeys,
  onStoreError: `'allow' allows every request while the store is unavailable; ${local}`,
  insuranceLimiter: `${local} while the store is unavailable, up to "localShare" of each limit`,
  denyCache:
    'a key that Redis denied is denied in this process for up to a second; on by default, true or false',
}

/** Names of options in other libraries and other likely names, with those in Sluice, the likeliest first. A third text is the hint in place of those above. */
export const renamed: readonly (readonly [foreign: string, own: string, hint?: string])[] = [
  ['max total', 'limit capacity policies'],
  ['points tokens', 'limit capacity cost policies'],
  ['windowMs timeWindow expire expiry', 'window every policies'],
  ['interval', 'every window policies'],
  ['ttl duration', 'window every lease for', lengthOrSeconds],
  ['ttl duration limiter throttlers policy execEvenly ban', 'policies'],
  ['bucketSize maxTokens', 'capacity burst'],
  ['refillRate tokensPerInterval', 'refill'],
  ['timezone tz', 'timeZone'],
  ['maxDelayMs', 'maxDelay'],
  ['blockDuration', 'block', blockFor],
  ['blockDuration', 'policies', `${inPolicy}: ${blockFor}`],
  ['exponentialBackoff', 'block', backoff],
  ['exponentialBackoff', 'policies', `${inPolicy}: ${backoff}`],
  ['keyGenerator getTracker id', 'key'],
  ['ipv6Subnet ipv6SubnetPrefix', 'ipv6'],
  ['ipv6Subnet ipv6SubnetPrefix', 'key', `byIp({ ipv6: 56 }), with ${subnet}`],
  ['weight pointsToConsume', 'cost'],
  ['keyPrefix namespace nameSpace', 'name prefix'],
  ['prefix groupId generateKey identifier', 'name'],
  ['allowList whitelist whiteList whitelisted skipList', 'allow'],
  ['denyList blacklist blackList blocklist', 'deny'],
  ['skipIf ignoreUserAgents', 'skip'],
  ['skipFailedRequests skipSuccessfulRequests requestWasSuccessful', 'count'],
  ['onLimitReached onExceeded onLimited onExceeding', 'onDecision'],
  ['onLimitReached onExceeded onLimited handler throw', 'onDenied'],
  ['message errorMessage errorResponseBuilder', 'body'],
  ['status', 'statusCode'],
  ['standardHeaders legacyHeaders addHeaders addHeadersOnExceeding', 'headers'],
  ['disableHeader enableDraftSpec setHeaders', 'headers'],
  ['db driver redis redisURL client sendCommand sendCommandCluster storage storeClient', 'store'],
  ['cache', 'maxKeys'],
  ['cache', 'store', `memoryStore({ maxKeys: 5000 }), with ${maxKeys}`],
  ['timeoutMs', 'timeout'],
  ['timeoutMs', 'store', 'redisStore(client, { timeout: 250 }) has it'],
  ['passOnStoreError passIfNotConnected skipOnError insuranceLimiter', 'onStoreError'],
  ['inMemoryBlockOnConsumed', 'denyCache'],
]
