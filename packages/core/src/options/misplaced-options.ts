const perMinute = `limit: 100, window: '1m'`
const window = `slidingWindow({ ${perMinute} })`
const buckets = `slidingWindow({ ${perMinute}, buckets: 6 })`
const aligned = `fixedWindow({ ${perMinute}, align: 'clock' })`
const calendar = `calendarWindow({ limit: 1000, period: 'day', timeZone: 'UTC' })`
const tokens = `tokenBucket({ capacity: 10, refill: 1, every: '1s' })`
const stages = `staged({ free: ${calendar}, then: gcra({ limit: 1, window: '2s' }) })`

/** The options of policies, each with a policy that takes it. The errors of functions that take whole policies suggest these policies. */
export const policyOptions: Readonly<Record<string, string>> = {
  limit: window,
  window,
  algorithm: window,
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
    'The decision is in req.rateLimit (Express, Fastify, NestJS) or ctx.state.rateLimit (Koa); copy it in a middleware of your own',
  validate:
    'Wrong options are errors in any case. A warning is silenced by its code: node --disable-warning=SLUICE_COUNTED_TWICE',
  logger:
    'Warnings go through process.emitWarning, and failures of the store to the channel "sluice:store:error" of node:diagnostics_channel',
  retryAfter:
    'Retry-After is computed from the decision. To send another value, set the header in "onDenied" and answer there',
}
