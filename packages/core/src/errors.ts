/**
 * Every error that Sluice raises on purpose, one code each. A message names what was passed, says why it cannot be right,
 * and what to pass instead: it is often the only page of the manual that is read.
 */
const messages = {
  SLUICE_OPTION_UNKNOWN: (
    where: string,
    option: string,
    known: readonly string[],
    advice?: string,
  ): string =>
    `${where}: there is no option ${quoted(option)}.${sentence(advice)} ` +
    `It takes ${known.length === 0 ? 'none' : list(known)}.`,

  SLUICE_OPTION_RENAMED: (where: string, option: string, name: string, hint: string): string =>
    `${where}: "${option}" is called "${name}" here: ${hint}.`,

  SLUICE_OPTION_MISPLACED: (where: string, option: string, place: string, policy: string): string =>
    `${where}: "${option}" is an option of a policy, not of this function. Pass ${place}: ${policy}, or the like.`,

  SLUICE_OPTION_MISSING: (where: string, option: string, expected: string): string =>
    `${where}: "${option}" is missing. Pass ${expected}.`,

  SLUICE_OPTION_INVALID: (
    where: string,
    option: string,
    value: unknown,
    expected: string,
    advice?: string,
  ): string => `${where}: "${option}" is ${show(value)}. Pass ${expected}.${sentence(advice)}`,

  SLUICE_OPTIONS_INVALID: (where: string, value: unknown, expected: string): string =>
    `${where}: the options are ${show(value)}. Pass ${expected}.`,

  SLUICE_OPTIONS_CONFLICT: (where: string, first: string, second: string, advice: string): string =>
    `${where}: "${first}" and "${second}" exclude each other. ${advice}.`,

  SLUICE_NUMBERS_TOO_LARGE: (where: string, product: string): string =>
    `${where}: ${product} is 2^53 or more, past what a number can count exactly. Pass a smaller limit or a shorter window.`,

  SLUICE_POLICY_UNKNOWN: (where: string, value: unknown, kinds: readonly string[]): string =>
    `${where}: ${show(value)} is not a policy. Make one with ${list(kinds)}, or pass an object whose "kind" is one of these.`,

  SLUICE_POLICIES_MISSING: (limiter: string): string =>
    `limiter "${limiter}": its requests bring their own policies, so it has none for this call. Pass those that apply ` +
    `to this key as the option "policies".`,

  SLUICE_POLICY_NAME_UNKNOWN: (limiter: string, name: string, known: readonly string[]): string =>
    `limiter "${limiter}": the keys name a policy ${quoted(name)}, but its policies are ${list(known)}.`,

  SLUICE_KEY_INVALID: (
    where: string,
    value: unknown,
    { part, policy, advice = keyAdvice }: KeyPlace,
  ): string =>
    `${where}: ${part === undefined ? '' : `part ${part} of `}the key ` +
    `${policy === undefined ? '' : `of the policy ${quoted(policy)} `}is ${show(value)}. ${advice}.`,

  SLUICE_KEY_MISSING: (limiter: string, name: string): string =>
    `limiter "${limiter}": there is no key for the policy "${name}". Pass one, or "notLimited" to leave that policy out.`,

  SLUICE_COST_INVALID: (limiter: string, value: unknown): string =>
    `limiter "${limiter}": the cost is ${show(value)}. Pass a whole number from 0 to 2^53 - 1.`,

  SLUICE_DECISION_FOREIGN: (limiter: string, maker: string): string =>
    `limiter "${limiter}": this decision was made by ${maker}. Only that one can give it back.`,

  SLUICE_DENIED: (
    limiter: string,
    deniedBy: readonly string[],
    retryAfterMs: number | null,
  ): string =>
    `limiter "${limiter}": denied by ${list(deniedBy)}. ${
      retryAfterMs === null
        ? 'The cost is more than the quota can ever give'
        : `The same cost is admitted in ${retryAfterMs} ms`
    }. Catch this DeniedError, whose "decision" says more, or pass "onDenied" or "wait".`,

  SLUICE_LIMITER_UNKNOWN: (name: string, known: readonly string[]): string =>
    `there is no limiter ${quoted(name)}. ${
      known.length === 0 ? 'There are none so far' : `The limiters are ${list(known)}`
    }. The limiters of routes are made when the application starts.`,

  SLUICE_CLOCK_INVALID: (value: unknown): string =>
    `the clock answered ${show(value)}. It must return milliseconds since the epoch, 0 or more.`,

  SLUICE_ADDRESS_MISSING: (value: unknown): string =>
    `byIp: the request's address is ${show(value)}. Where a proxy or a unix socket stands in front, tell the framework ` +
    `to trust it (Express: app.set('trust proxy', 1)), or pass a "key" of your own. ` +
    `One shared bucket for all such requests would let one client shut out the others.`,

  SLUICE_HEADER_MISSING: (name: string): string =>
    `byHeader: the request has no header "${name}". To limit such requests by another key, pass "firstOf": ` +
    `firstOf(byHeader(…), byIp()).`,

  SLUICE_USER_MISSING: (value: unknown): string =>
    `byUser: the user is ${show(value)}. Pass the id as a non-empty string or a whole number. If authentication has not run yet, place the limiter ` +
    `behind it. To limit requests without a user by their address, pass firstOf(byUser(…), byIp()); to leave the policy out, return "notLimited".`,

  SLUICE_ROUTE_MISSING: (): string =>
    `byRoute: no route has matched yet. Put the limiter on the route itself rather than in front of the router, or pass another "key".`,

  SLUICE_NAME_TAKEN: (name: string): string =>
    `rateLimit: another limiter of this store is called "${name}" and has other policies, so each would read what the other ` +
    `counts. Give each a "name" of its own.`,

  SLUICE_PROXY_UNTRUSTED: (address: string): string =>
    `byIp: requests come with X-Forwarded-For, but the address in use is that of the socket, ${address}. Behind a proxy all clients ` +
    `would share its limit: tell the framework which proxies to trust (Express: app.set('trust proxy', 1); Koa: ` +
    `proxy: true, maxIpsCount: 1; Fastify: trustProxy: '10.0.0.0/8'). With no proxy in front, a client made the header up, and all is well.`,

  SLUICE_PROXY_TRUSTED_BLINDLY: (): string =>
    `byIp: the framework trusts every proxy, so a client can write any address into X-Forwarded-For and have a new limit with each. ` +
    `Trust the proxies that there are (Express: app.set('trust proxy', 1); Koa: proxy: true, maxIpsCount: 1; Fastify: trustProxy: '10.0.0.0/8').`,

  SLUICE_ADDRESS_UNMASKED: (address: string): string =>
    `rateLimit: the key is the IPv6 address ${quoted(address)} as it stands. A client that owns a network of 64 bits has a new limit with each ` +
    `of its addresses. Pass "key: byIp()", which counts by network, or firstOf(…, byIp()).`,

  SLUICE_COUNTED_TWICE: (name: string): string =>
    `rateLimit: the limiter "${name}" was asked about the same request twice, and counts it twice. Is it in use both for the ` +
    `application and for a route or router? Keep one, or make two limiters.`,

  SLUICE_MADE_IN_HANDLER: (name: string): string =>
    `rateLimit: the limiter "${name}" was made while it was already needed, as if in a request handler. One that is made anew for ` +
    `each request counts each by itself and never denies: make it once, when the application starts.`,

  SLUICE_ROUTE_UNSEEN: (route: string, hook: string): string =>
    `rateLimit: the route ${quoted(route)} was declared before the plugin was loaded, so it is limited before its own "${hook}" ` +
    `hooks have run, and the key may not see what they add to the request. Await the registration: await app.register(rateLimit, …).`,

  SLUICE_POLICY_NAMES_MANY: (limiter: string, count: number, name: string): string =>
    `limiter "${limiter}": its calls have named ${count} different policies, such as ${quoted(name)}. A policy's name stands for a kind of limit, ` +
    `such as a plan. If each client has a name of its own, use one name and put the client into the key: in Redis, each name adds to the state of its key.`,

  SLUICE_THROWN: (name: string, value: unknown): string =>
    `limiter "${name}": a function of its options threw ${show(value)}, which some frameworks take for no error. Throw an Error.`,

  SLUICE_POLICY_REDUNDANT: (limiter: string, name: string, other: string): string =>
    `limiter "${limiter}": the policy "${name}" can never be the one that denies. Where both count by the same key, as in this call, ` +
    `each request that it would deny is denied by "${other}" as well. Give it a lower limit or a longer window, or leave it out.`,

  SLUICE_DURATION_SHORT: (where: string, option: string, value: number): string =>
    `${where}: "${option}" is ${value}, which means ${value} milliseconds. If seconds are meant, pass '${value}s'. ` +
    `If milliseconds are meant, pass '${value}ms', and there is no warning.`,

  SLUICE_STORE_FAILED: (store: string, reason: string): string =>
    `the ${store} store failed: ${reason}`,

  SLUICE_STORE_TIMEOUT: (store: string, timeoutMs: number): string =>
    `the ${store} store did not answer within ${timeoutMs} ms. What arrives there later is void and takes nothing.`,

  SLUICE_STORE_AWAY: (store: string): string =>
    `the ${store} store has failed several times and is left alone until it answers again.`,

  SLUICE_STORE_CLOSED: (store: string): string =>
    `the ${store} store was closed and takes no more requests.`,

  SLUICE_STORE_FOREIGN: (where: string, theirs: number, ours: number): string =>
    `${where}: the store was made by another version of @sluice/core (store contract ${theirs}; this copy has ${ours}). The application contains ` +
    `two versions of it: "npm ls @sluice/core" lists them. Install one version of all @sluice packages, or import the store from the ` +
    `same package as the limiter.`,

  SLUICE_CLIENT_INVALID: (client: unknown): string =>
    `redisStore: the client is ${showClient(client)}. Sluice opens no connection itself: pass a client that you made. With ioredis or iovalkey: ` +
    `redisStore(new Redis(url)). With node-redis 4 or later: const client = createClient({ url }); await client.connect(); redisStore(client).`,
}

/** Where in a key a wrong value stands. */
interface KeyPlace {
  /** Its position in a list of parts, counted from 1. */
  readonly part?: number | undefined
  /** The policy whose key it is, if each policy has its own. */
  readonly policy?: string | undefined
  /** What to pass instead. */
  readonly advice?: string | undefined
}

const keyAdvice =
  'Pass a non-empty string, or a list of parts, each of them a non-empty string or a whole number below 2^53. A missing key would put all callers ' +
  'in one bucket, so it is refused; only "notLimited" leaves a policy out'

/** The stable identifier of an error. */
export type ErrorCode = keyof typeof messages

type Details = { [C in ErrorCode]: Parameters<(typeof messages)[C]> }

const catalogue: { [C in ErrorCode]: (...details: Details[C]) => string } = messages

const sluiceErrorBrand = Symbol.for('@sluice/core:SluiceError')

/** Marks the instances of a class for every copy of this package. By default, `instanceof` knows nothing of another copy's class. */
export function brand(prototype: object, brand: symbol): void {
  Object.defineProperty(prototype, brand, { value: true })
}

export function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value
}

/**
 * A mistake in the program, or a store that failed. A denial is a value; only a `limited` function, which has no other way to tell of it,
 * makes an error of it.
 */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  /** Stable across releases; the message is not. */
  readonly code: ErrorCode
  /**
   * 400 where the request is wrong and not the application: it has no key, or one that cannot be a key. Absent from all other errors. Express,
   * Koa, Fastify and NestJS answer with this status unless an error handler of the application decides otherwise.
   */
  declare readonly status?: 400
  /** The same as `status`, for the frameworks that read this name. */
  declare readonly statusCode?: 400
  /** True beside `status`: Koa then answers with the message, and logs nothing. */
  declare readonly expose?: true

  constructor(code: ErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.code = code
    if (!causedByRequest.has(code)) return
    this.status = 400
    this.statusCode = 400
    this.expose = true
  }

  static {
    brand(this.prototype, sluiceErrorBrand)
  }

  /** True for the errors of every copy of this package that the application contains. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== SluiceError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return isBranded(value, sluiceErrorBrand)
  }
}

const causedByRequest: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SLUICE_KEY_INVALID',
  'SLUICE_HEADER_MISSING',
  'SLUICE_USER_MISSING',
])

/** Makes the error of the catalogue that has this code. */
export function sluiceError<C extends ErrorCode>(code: C, ...details: Details[C]): SluiceError {
  return new SluiceError(code, messageOf(code, ...details))
}

/** As `sluiceError`, keeping what caused it. */
export function sluiceErrorFrom<C extends ErrorCode>(
  cause: unknown,
  code: C,
  ...details: Details[C]
): SluiceError {
  return new SluiceError(code, messageOf(code, ...details), { cause })
}

/** What the error of the catalogue says that has this code. */
export function messageOf<C extends ErrorCode>(code: C, ...details: Details[C]): string {
  return catalogue[code](...details)
}

export const errorCodes: readonly ErrorCode[] = Object.keys(catalogue) as ErrorCode[]

function list(words: readonly string[]): string {
  return words.slice(0, 50).map(quoted).join(', ')
}

/** What may come from anywhere must not write lines of its own into a log, nor fill it. */
function quoted(word: string): string {
  return JSON.stringify(word.slice(0, 80))
}

/** Something to add to a message. It may end in a question mark of its own. */
function sentence(text: string | undefined): string {
  if (text === undefined) return ''
  return text.endsWith('?') ? ` ${text}` : ` ${text}.`
}

function show(value: unknown): string {
  if (typeof value === 'string') return `the string ${quoted(value)}`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
    const keys = Object.keys(value)
    return keys.length === 0 ? 'an empty object' : `an object with the keys ${list(keys)}`
  }
  return String(value)
}

/** A string is not shown: it may be an address with a password. */
function showClient(client: unknown): string {
  if (typeof client === 'string') return 'a string'
  if (typeof client !== 'object' || client === null) return show(client)
  if ('then' in client) return 'a promise, which has to be awaited first'
  if ('internal_send_command' in client) return 'of node-redis 3, which is too old'
  if ('evalsha' in client && 'evalSha' in client)
    return 'in legacyMode: pass its "v4", which has promises'
  return show(client)
}
