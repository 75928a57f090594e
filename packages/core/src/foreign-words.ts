const sameUnit: string = 'a duration in milliseconds or a string such as "1m"'

const entries: string = 'a list of addresses, ranges and keys, or accessList([…])'
const allowed: string = `${entries}; a function of the request goes into "skip"`
const inPolicy: string = 'it belongs to a policy:'

/** How other libraries spell an option: our candidates, in order of preference, and what to mind. */
export interface ForeignWord {
  readonly ours: readonly string[]
  readonly hint: string
}

export const foreignWords: Readonly<Record<string, ForeignWord>> = {
  windowMs: { ours: ['window', 'every'], hint: sameUnit },
  timeWindow: { ours: ['window', 'every'], hint: sameUnit },
  ttl: { ours: ['window', 'every', 'lease'], hint: sameUnit },
  interval: { ours: ['every', 'window'], hint: sameUnit },
  duration: {
    ours: ['window', 'every', 'lease'],
    hint: `${sameUnit} (where it was in seconds, write "60s" for 60)`,
  },
  max: { ours: ['limit', 'capacity'], hint: 'a whole number; 0 denies everything' },
  points: { ours: ['limit', 'capacity'], hint: 'a whole number; 0 denies everything' },
  tokens: { ours: ['limit', 'capacity'], hint: 'a whole number; 0 denies everything' },
  bucketSize: { ours: ['capacity', 'burst'], hint: 'a whole number of units' },
  maxTokens: { ours: ['capacity', 'burst'], hint: 'a whole number of units' },
  refillRate: { ours: ['refill'], hint: 'how many tokens come back in each "every"' },
  tokensPerInterval: { ours: ['refill'], hint: 'how many tokens come back in each "every"' },
  timezone: { ours: ['timeZone'], hint: 'an IANA zone such as "Europe/Berlin"' },
  tz: { ours: ['timeZone'], hint: 'an IANA zone such as "Europe/Berlin"' },
  keyPrefix: { ours: ['name', 'prefix'], hint: 'the namespace of the counters' },
  keyGenerator: { ours: ['key'], hint: 'a function from the request to its key' },
  identifier: { ours: ['key'], hint: 'a function from the request to its key' },
  handler: { ours: ['onDenied'], hint: 'called with the request, the response and the decision' },
  errorResponseBuilder: { ours: ['body'], hint: 'a value, or a function of the request' },
  message: { ours: ['body'], hint: 'a value, or a function of the request' },
  weight: { ours: ['cost'], hint: 'a whole number, or a function from the request to one' },
  standardHeaders: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  legacyHeaders: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  throttlers: { ours: ['policies'], hint: 'a record from name to policy' },
  total: { ours: ['limit', 'capacity'], hint: 'a whole number; 0 denies everything' },
  expire: { ours: ['window', 'every'], hint: sameUnit },
  id: { ours: ['key'], hint: 'a function from the request to its key' },
  db: { ours: ['store'], hint: 'memoryStore() or redisStore(client)' },
  redis: { ours: ['store'], hint: 'memoryStore() or redisStore(client)' },
  storeClient: { ours: ['store'], hint: 'memoryStore() or redisStore(client)' },
  addHeaders: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  disableHeader: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  errorMessage: { ours: ['body'], hint: 'a value, or a function of the request' },
  status: { ours: ['statusCode'], hint: 'a status from 200 to 599' },
  onLimitReached: {
    ours: ['onDenied'],
    hint: 'called with the request, the response and the decision',
  },
  onExceeded: {
    ours: ['onDenied'],
    hint: 'called with the request, the response and the decision',
  },
  nameSpace: { ours: ['name', 'prefix'], hint: 'the namespace of the counters' },
  ipv6Subnet: { ours: ['ipv6'], hint: 'how many leading bits make one client' },
  limiter: { ours: ['algorithm'], hint: 'a builder, such as gcra' },
  allowList: { ours: ['allow'], hint: allowed },
  whitelist: { ours: ['allow'], hint: allowed },
  whiteList: { ours: ['allow'], hint: allowed },
  whitelisted: { ours: ['allow'], hint: allowed },
  skipList: { ours: ['allow'], hint: allowed },
  denyList: { ours: ['deny'], hint: entries },
  blacklist: { ours: ['deny'], hint: entries },
  blackList: { ours: ['deny'], hint: entries },
  blocklist: { ours: ['deny'], hint: entries },
  ban: {
    ours: ['policy'],
    hint: `${inPolicy} block: { for: '1h', on: 'exceeded' } shuts out whoever exceeds its limit`,
  },
  blockDuration: {
    ours: ['block', 'policy'],
    hint: `${inPolicy} block: { for: '15m' }, in milliseconds where it is a number`,
  },
  exponentialBackoff: {
    ours: ['block', 'policy'],
    hint: `${inPolicy} block: { for: '1m', escalate: 2, max: '1d' }`,
  },
  execEvenly: {
    ours: ['policy'],
    hint: `leakyQueue({ leak, every, maxDelay }) holds each request until its turn`,
  },
  skipFailedRequests: {
    ours: ['count'],
    hint: `'successes', where failures are given back`,
  },
  skipSuccessfulRequests: {
    ours: ['count'],
    hint: `'failures', where successes are given back`,
  },
  requestWasSuccessful: {
    ours: ['count'],
    hint: 'a function from { status, aborted } to whether the request counts',
  },
  skipIf: { ours: ['skip'], hint: 'a function from the request to true or false' },
  ignoreUserAgents: {
    ours: ['skip'],
    hint: 'a function from the request to true or false, which looks at the header',
  },
  getTracker: { ours: ['key'], hint: 'a function from the request to its key' },
  generateKey: { ours: ['key'], hint: 'a function from the request to its key' },
  groupId: { ours: ['name'], hint: 'limiters of one name in one store count together' },
  prefix: { ours: ['name'], hint: 'the namespace of the counters' },
  namespace: { ours: ['name', 'prefix'], hint: 'the namespace of the counters' },
  pointsToConsume: {
    ours: ['cost'],
    hint: 'a whole number, or a function from the request to one',
  },
  storage: { ours: ['store'], hint: 'memoryStore() or redisStore(client)' },
  driver: { ours: ['store'], hint: 'memoryStore() or redisStore(client)' },
  setHeaders: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  enableDraftSpec: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  addHeadersOnExceeding: { ours: ['headers'], hint: `'draft', 'legacy', 'both' or 'none'` },
  timeoutMs: { ours: ['timeout'], hint: sameUnit },
  maxDelayMs: { ours: ['maxDelay'], hint: sameUnit },
}
