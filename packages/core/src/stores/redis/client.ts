import { sluiceError } from '../../errors.js'

/**
 * Sends a script. `args[0]` is the time after which the call is void. Calls either `done` or `failed`, once. A request-bound client is passed a signal, which
 * aborts the call.
 */
export type SendScript = (
  script: string,
  keys: readonly string[],
  args: readonly string[],
  done: (reply: unknown) => void,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
) => void

/** A Redis client with callbacks in place of promises. */
export interface ScriptClient {
  readonly evalSha: SendScript
  readonly eval: SendScript
  readonly isCluster: boolean
  readonly isRequestBound: boolean
}

/**
 * The two commands that a store needs of a Redis client. The client connects, reconnects and routes; a store never opens or closes a
 * connection. A client must settle each call, at the latest when its connection closes, and must not send a call twice. Requests about one key run in
 * the order in which they were made if the client sends its calls in their order.
 */
export interface RedisClient {
  /**
   * EVALSHA. Rejects with the server's error, whose message begins with its code, such as `NOSCRIPT`. A request-bound client is passed a signal, which
   * aborts a call that nobody waits for.
   */
  evalSha(
    digest: string,
    keys: readonly string[],
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown>
  /** EVAL. */
  eval(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown>
  /** Whether the client is connected to a Redis Cluster. */
  readonly isCluster: boolean
  /**
   * Whether each call belongs to the request of a server that makes it, as every call over HTTP does on Cloudflare Workers: there a request can neither
   * wait for the reply to another request nor use its timers. Then each decision has a call of its own.
   *
   * @default false
   */
  readonly isRequestBound?: boolean
}

/**
 * The methods that Sluice uses of an ioredis or iovalkey client: single server, Sentinel or Cluster. A structural type, so that this package's types
 * depend on no other package.
 */
export interface IoredisClient {
  evalsha(digest: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  readonly isCluster: boolean
}

/** The methods that Sluice uses of a node-redis client, version 4 or later, from `createClient`, `createSentinel` or `createCluster`. */
export interface NodeRedisClient {
  evalSha(digest: string, options: NodeRedisArguments): Promise<unknown>
  eval(script: string, options: NodeRedisArguments): Promise<unknown>
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** The arguments of a script call of node-redis. */
export interface NodeRedisArguments {
  keys: string[]
  arguments: string[]
}

/** The method that Sluice uses of the `RedisClient` of Bun. */
export interface BunRedisClient {
  send(command: string, args: string[]): Promise<unknown>
  readonly connected: boolean
}

/** A Redis client that `redisStore` takes. */
export type SupportedClient = IoredisClient | NodeRedisClient | BunRedisClient | RedisClient

/**
 * @param where the function that was passed the client
 * @throws SluiceError SLUICE_CLIENT_INVALID
 */
export function clientOf(client: SupportedClient, where: string = 'redisStore'): ScriptClient {
  if (!isClient(client)) throw sluiceError('SLUICE_CLIENT_INVALID', client, where)
  if ('send' in client)
    return fromPromises(fromCommands((command, args) => client.send(command, args), false))
  if ('evalsha' in client) return fromPromises(fromIoredis(client))
  if ('isCluster' in client) return fromPromises(client)
  return fromPromises(fromNodeRedis(client))
}

/** Checks the shape only, because a client may come from any copy of its library. */
function isClient(client: unknown): boolean {
  if (typeof client !== 'object' || client === null) return false
  if ('send' in client) return 'connected' in client
  if (!('eval' in client)) return false
  // A client over HTTP, such as @upstash/redis, has commands of the same names with other parameters.
  if (!('isCluster' in client || 'on' in client)) return false
  // node-redis 3, and node-redis 4 in legacyMode, take callbacks and return no promise.
  if ('evalsha' in client) return !('internal_send_command' in client || 'evalSha' in client)
  return 'evalSha' in client
}

function fromPromises(client: RedisClient): ScriptClient {
  return {
    evalSha(digest, keys, args, answered, failed, signal) {
      settle(() => client.evalSha(digest, keys, args, signal), answered, failed)
    },
    eval(script, keys, args, answered, failed, signal) {
      settle(() => client.eval(script, keys, args, signal), answered, failed)
    },
    isCluster: client.isCluster,
    isRequestBound: client.isRequestBound === true,
  }
}

function settle(
  send: () => Promise<unknown>,
  answered: (reply: unknown) => void,
  failed: (error: unknown) => void,
): void {
  let reply: Promise<unknown>
  try {
    reply = send()
  } catch (error) {
    failed(error)
    return
  }
  reply.then(answered, failed)
}

/** After a lost connection it sends unanswered calls again, which can then count twice: see `autoResendUnfulfilledCommands`. */
function fromIoredis(client: IoredisClient): RedisClient {
  return {
    evalSha: (digest, keys, args) => client.evalsha(digest, keys.length, ...keys, ...args),
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    isCluster: client.isCluster,
  }
}

/** The clients of node-redis that have a listener of Sluice: one each, for all stores. */
const withListener = new WeakSet<NodeRedisClient>()

function fromNodeRedis(client: NodeRedisClient): RedisClient {
  // Without a listener, node-redis ends the process when a connection is lost. The calls that fail report the error.
  if (!withListener.has(client)) client.on('error', () => {})
  withListener.add(client)
  if (isNodeRedisCluster(client)) return fromNodeRedisCluster(client)
  return {
    evalSha: (digest, keys, args) =>
      client.evalSha(digest, { keys: [...keys], arguments: [...args] }),
    eval: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    isCluster: false,
  }
}

/** A node-redis client made by `createCluster`. */
interface NodeRedisCluster extends NodeRedisClient {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean,
    args: readonly string[],
  ): Promise<unknown>
}

function isNodeRedisCluster(client: NodeRedisClient): client is NodeRedisCluster {
  return 'slots' in client && 'sendCommand' in client
}

/**
 * Version 4 ignores the keys of `evalSha` and `eval` and sends the commands to any node, which costs redirections and fails after too many of
 * them (redis/node-redis#2811). So the routing key is passed explicitly: it follows the script and the number of keys.
 */
function fromNodeRedisCluster(client: NodeRedisCluster): RedisClient {
  return fromCommands(
    (command, args) => client.sendCommand(args[2], false, [command, ...args]),
    true,
  )
}

/** A client with one method for all commands. */
export function fromCommands(
  send: (command: string, args: string[], signal?: AbortSignal) => Promise<unknown>,
  isCluster: boolean,
): RedisClient {
  return {
    evalSha: (digest, keys, args, signal) =>
      send('EVALSHA', [digest, `${keys.length}`, ...keys, ...args], signal),
    eval: (script, keys, args, signal) =>
      send('EVAL', [script, `${keys.length}`, ...keys, ...args], signal),
    isCluster,
  }
}
