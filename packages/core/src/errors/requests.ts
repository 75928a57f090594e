import { isNodeRequest, quoted, show } from './quoting.js'

/** The advice for the frameworks of Node. */
const addressAdvice = `If a proxy or a unix socket is in front of the server, tell the framework to trust it (Express: app.set('trust proxy', 1))`

const packages =
  'Use the package of your framework: @sluice/express, @sluice/koa, @sluice/fastify; in NestJS on Fastify, await app.register(rateLimit, { … }) of @sluice/fastify'

/** Errors and warnings of HTTP requests and of the limits of routes. */
export const requestMessages = {
  SLUICE_REQUEST_INVALID: (value: unknown, wanted: 'node' | 'web'): string => {
    if (isNodeRequest(value))
      return `rateLimit: the request is one of Node.js, and not of the framework for which this package is. ${packages}.`
    if (wanted === 'web')
      return `rateLimit: the request is ${show(value)}. Pass the web Request, or that of the framework which contains it, as the server passes it to its handler.`
    const isOfFetch = typeof value === 'object' && value !== null && 'bodyUsed' in value
    const what = isOfFetch ? 'a web Request, which fetch uses' : show(value)
    return (
      `rateLimit: the request is ${what}. Pass Node's own request, or that of the framework which wraps it, as the framework passes it to its ` +
      `middleware and handlers.${isOfFetch ? ' For a handler of web Requests, use rateLimit of @sluice/fetch.' : ''}`
    )
  },

  SLUICE_RESPONSE_UNSEEN: (limiter: string, needed: string): string =>
    `limiter "${limiter}": ${needed} depends on the response, which a check and a proxy of Next.js do not see. Call limit(handler) or ` +
    `limit.run(request, next), which see it, or leave it out.`,

  SLUICE_ADDRESS_MISSING: (
    value: unknown,
    advice: string = addressAdvice,
    list?: 'allow' | 'deny',
  ): string => {
    const address = `the request's address is ${show(value)}. ${advice}`
    return list === undefined
      ? `byIp: ${address}, or pass another "key": with one count for all such requests, one client could use up the limit of all.`
      : `rateLimit: "${list}" contains addresses, and ${address}, or list keys only.`
  },

  SLUICE_CONNECTION_MISSING: (): string =>
    `byConnection: the call came without a socket. Use this key at a gateway, or pass one for such calls as well: firstOf(byConnection(), byIp()).`,

  SLUICE_KEY_PER_RULE: (): string =>
    `rateLimit: with "rules", a request has a key in each rule that applies to it. "explain" of the rules returns the key and the policies of each rule.`,

  SLUICE_HEADER_MISSING: (name: string): string =>
    `byHeader: the request has no header "${name}". To limit such requests by another key, pass "firstOf": ` +
    `firstOf(byHeader(…), byIp()).`,

  SLUICE_USER_MISSING: (value: unknown): string =>
    `byUser: the user is ${show(value)}. Pass the id as a non-empty string or a whole number. If authentication has not run yet, place the limiter ` +
    `behind it. To limit requests without a user by their address, pass firstOf(byUser(…), byIp()); to leave the policy out, return "notLimited".`,

  SLUICE_ROUTE_MISSING: (): string =>
    `byRoute: no route has matched yet. Put the limiter on the route itself rather than in front of the router, or pass another "key".`,

  SLUICE_PROXY_UNTRUSTED: (address: string): string =>
    `byIp: requests carry X-Forwarded-For, but the address in use is that of the socket, ${address}. Behind a proxy all clients ` +
    `would share its limit: tell the framework which proxies to trust (Express: app.set('trust proxy', 1); Koa: ` +
    `proxy: true, maxIpsCount: 1; Fastify: trustProxy: '10.0.0.0/8'; fetch, Hono and sockets: address: { proxies: 1 }). If there is no proxy in front, the client wrote the header itself, and nothing has to change.`,

  SLUICE_PROXY_TRUSTED_BLINDLY: (): string =>
    `byIp: the framework trusts every proxy, so a client can write any address into X-Forwarded-For and get a new limit with each. ` +
    `Trust your own proxies only (Express: app.set('trust proxy', 1); Koa: proxy: true, maxIpsCount: 1; Fastify: trustProxy: '10.0.0.0/8').`,

  SLUICE_ADDRESS_UNMASKED: (address: string): string =>
    `rateLimit: the key is a single IPv6 address, ${quoted(address)}. A client that owns a network of 64 bits gets a new limit with each ` +
    `of its addresses. Pass "key: byIp()", which counts by network, or firstOf(…, byIp()).`,

  SLUICE_USER_LATE: (requests: number): string =>
    `firstOf: ${requests} requests had no user when the limiter counted them, and a user at their end, and no request had one before. They counted by the next ` +
    `key. Place the limiter behind the authentication.`,

  SLUICE_COUNTED_TWICE: (name: string): string =>
    `rateLimit: the limiter "${name}" counted the same request twice. Is it used both for the ` +
    `application and for a route or router? Keep one, or create two limiters.`,

  SLUICE_MADE_IN_HANDLER: (name: string): string =>
    `rateLimit: two limiters "${name}" were created and used at once, as if in a request handler. A limiter that is created for each request ` +
    `counts that request alone and never denies: create it once, when the application starts.`,

  SLUICE_ROUTE_UNSEEN: (route: string, hook: string): string =>
    `rateLimit: the route ${quoted(route)} was declared before the plugin was loaded, so it is limited before its own "${hook}" ` +
    `hooks have run, and the key may not see what they add to the request. Await the registration: await app.register(rateLimit, …).`,
}
