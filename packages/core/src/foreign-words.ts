const sameUnit: string = 'a duration in milliseconds or a string such as "1m"'

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
  status: { ours: ['statusCode'], hint: 'a status from 400 to 599' },
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
}
