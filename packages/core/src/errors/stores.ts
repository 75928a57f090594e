import { quoted, show } from './quoting.js'

/** Errors of stores and of their clients. */
export const storeMessages = {
  SLUICE_STORE_FAILED: (store: string, reason: string): string =>
    `the ${store} store failed: ${reason}`,

  SLUICE_STORE_TIMEOUT: (store: string, timeoutMs: number): string =>
    `the ${store} store did not answer within ${timeoutMs} ms. A call that reaches it later takes no units.`,

  SLUICE_STORE_UNAVAILABLE: (store: string): string =>
    `the ${store} store has failed several times. No calls are sent to it until it answers again.`,

  SLUICE_STORE_CONTENDED: (store: string, timeoutMs: number): string =>
    `the ${store} store changed the row of this key for other processes again and again, for ${timeoutMs} ms. Nothing was taken. Raise the "timeout", or ` +
    `spread the limit over several keys, or use redisStore, which decides in the server.`,

  SLUICE_STORE_DAMAGED: (store: string, row: string): string =>
    `the ${store} store cannot read the row ${quoted(row)}: another program has written or changed it, or the client changes the bytes of rows. For a minute, ` +
    `"onStoreError" decides for its key. Then its counts begin again.`,

  SLUICE_STORE_REFUSED: (store: string, reason: string): string =>
    `the ${store} store refuses its calls: ${reason}`,

  SLUICE_STORE_CLOSED: (store: string): string =>
    `the ${store} store was closed and takes no more requests.`,

  SLUICE_STORE_FOREIGN: (where: string, theirs: number, ours: number): string =>
    `${where}: the store was made by another version of @sluice/core (store contract ${theirs}; this copy has ${ours}). The application contains ` +
    `two versions of it: "npm ls @sluice/core" lists them. Install one version of all @sluice packages, or import the store from the ` +
    `same package as the limiter.`,

  SLUICE_DATABASE_INVALID: (where: string, value: unknown): string =>
    `${where}: the database is ${showGiven(value)}. A database is an object with the functions "load" and "save": see the type Database of ` +
    `@sluice/core/database.`,

  SLUICE_AHEAD_UNUSED: (limiter: string, name: string, kind: string): string =>
    `limiter "${limiter}": spendAhead takes no units ahead for the policy "${name}", a ${kind}, so each request asks the store. Pass fixedWindow, calendarWindow, ` +
    `slidingWindow with several "buckets", gcra, tokenBucket or leakyBucket, without "block" and "initial", or pass the limiter the store itself.`,

  SLUICE_SCRIPTS_MANY: (limiter: string, most: number): string =>
    `limiter "${limiter}": the store has scripts for ${most} different lists of policies, and makes no more, because Redis keeps each of them. The algorithms of a ` +
    `list, their order and their blocks decide its script; limits, windows and names do not. Let limits of one kind have the same algorithms in the same order.`,

  SLUICE_CLIENT_INVALID: (client: unknown, where: string): string =>
    `${where}: the client is ${showClient(client)}. Sluice opens no connection itself: pass a client. With ioredis or iovalkey: ` +
    `${where}(new Redis(url)). With node-redis 4 or later: const client = createClient({ url }); await client.connect(); ${where}(client). ` +
    `Over HTTP: ${where}(restClient({ url, token })).`,

  SLUICE_REST_INVALID: (option: 'url' | 'token', value: unknown): string =>
    option === 'url'
      ? `restClient: "url" is ${showAddress(value)}. Pass the address of the REST service of the database, which begins with https://, as UPSTASH_REDIS_REST_URL does.`
      : `restClient: "token" is ${showToken(value)}. Pass the token of the REST service, such as UPSTASH_REDIS_REST_TOKEN.`,
}

/** A string is not shown: it may contain a password. */
function showAddress(value: unknown): string {
  if (typeof value !== 'string') return show(value)
  if (/^rediss?:/i.test(value)) return 'an address of the Redis protocol, and not of HTTP'
  if (/^https?:.*@/i.test(value)) return 'an address with a user or a password'
  return 'a string that is not an HTTP address'
}

function showToken(value: unknown): string {
  if (typeof value !== 'string') return show(value)
  return value === ''
    ? 'an empty string'
    : 'a string with spaces, line ends or other characters that a header cannot contain'
}

function showClient(client: unknown): string {
  if (typeof client !== 'object' || client === null || 'then' in client) return showGiven(client)
  if ('sendCommand' in client && !('evalSha' in client))
    return 'an object with the options of rate-limit-redis: pass the client itself'
  if ('internal_send_command' in client) return 'of node-redis 3, which is too old'
  if ('evalsha' in client && 'evalSha' in client)
    return 'in legacyMode: pass its "v4", which has promises'
  // It has the commands of ioredis without being one.
  if ('evalsha' in client && 'eval' in client && !('isCluster' in client || 'on' in client))
    return 'of @upstash/redis or another one over HTTP, which may send a call twice'
  return show(client)
}

/** A string is not shown: it may be an address with a password. */
function showGiven(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  const isPromise = typeof value === 'object' && value !== null && 'then' in value
  return isPromise ? 'a promise, which has to be awaited first' : show(value)
}
