import { isList } from '../../options/predicates.js'

/** The commands that Sluice sends with an ioredis client. */
interface Commands {
  readonly isCluster: boolean
  evalsha(digest: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
}

/** A command of ioredis, which serializes its arguments each time it is sent. */
interface SentCommand {
  readonly name: string
  readonly args: unknown[]
}

/** The other members that Sluice uses of an ioredis client. A wrapped client may lack them. */
interface RedisConnection {
  readonly status?: string
  on?(event: string, listener: (node: RedisConnection) => void): unknown
  nodes?(): readonly RedisConnection[]
  sendCommand?(command: SentCommand, stream?: unknown): unknown
}

/** A call that has no answer yet. */
interface UnansweredCall {
  command: SentCommand | undefined
  /** The index, in the command's arguments, of the time after which the call is void. */
  readonly voidAt: number
  isLost: boolean
  failed: (error: unknown) => void
}

type Send = (name: 'evalsha' | 'eval', ...call: Parameters<SendScript>) => void

/**
 * Makes sure that no call counts twice. After a lost connection, ioredis sends unanswered commands again (`autoResendUnfulfilledCommands`; a Cluster
 * does so after `retryDelayOnFailover`), although the script may have run. So the repeated command is made void: a time in the past replaces
 * the one in its arguments.
 */
export function sendingOnce(client: Commands): Send {
  const calls = callsOf(client)
  const connection = connectionOf(client)
  const last: { sent: SentCommand | undefined } = { sent: undefined }
  // `evalsha` passes its command to `sendCommand` of the same client. With `enableAutoPipelining` that happens later; such a command is not
  // captured, and ioredis repeats it unchanged.
  const tapped = inherit(client, {
    sendCommand: {
      value(command: SentCommand, stream?: unknown) {
        last.sent = command
        return connection.sendCommand?.(command, stream)
      },
    },
  })

  function forget(call: UnansweredCall): void {
    calls.splice(calls.indexOf(call), 1)
  }

  return function send(name, script, keys, args, answered, failed) {
    last.sent = undefined
    let reply: Promise<unknown>
    try {
      reply = tapped[name](script, keys.length, ...keys, ...args)
    } catch (error) {
      failed(error)
      return
    }
    const call: UnansweredCall = {
      command: last.sent,
      voidAt: 2 + keys.length,
      isLost: false,
      failed,
    }
    calls.push(call)
    function succeed(value: unknown): void {
      forget(call)
      if (!call.isLost) answered(value)
      // If a Cluster client sent the lost call again, its reply is void.
      else if (client.isCluster && !isVoid(value)) answered(value)
      else if (client.isCluster) failed(lost())
    }
    function fail(error: unknown): void {
      forget(call)
      if (!call.isLost) failed(error)
      else if (client.isCluster) failed(lost(error))
    }
    reply.then(succeed, fail)
  }
}

const inherit: (client: Commands, own: PropertyDescriptorMap) => Commands = Object.create

function lose(call: UnansweredCall, isCluster: boolean): void {
  if (call.isLost) return
  const { command, voidAt } = call
  call.isLost = true
  // A client whose commands have another shape is left unchanged.
  if (command?.name.startsWith('eval') === true && command.args.length > voidAt) {
    command.args[voidAt] = '0'
  }
  // On a Cluster, the call may be pending at another node than the lost one.
  if (!isCluster) call.failed(lost())
}

function isVoid(reply: unknown): boolean {
  return isList(reply) && reply.length === 1
}

function lost(cause?: unknown): Error {
  return new Error('the connection was lost before the answer came', { cause })
}

const known = new WeakMap<Commands, UnansweredCall[]>()

/**
 * The pending calls of all stores on the same client, so that each client gets one set of listeners. A list and not a Set: most calls are answered in
 * their order, and after removals a Set keeps its former items alive until the old generation is collected.
 */
function callsOf(client: Commands): UnansweredCall[] {
  let calls = known.get(client)
  if (calls === undefined) {
    calls = []
    known.set(client, calls)
    watch(client, calls)
  }
  return calls
}

function watch(client: Commands, calls: readonly UnansweredCall[]): void {
  const connection = connectionOf(client)
  function loseAll(): void {
    // A copy, because a failed call may lead to another call.
    for (const call of calls.slice()) lose(call, client.isCluster)
  }
  if (!client.isCluster) {
    listen(connection, loseAll)
    return
  }
  for (const node of connection.nodes?.() ?? []) listen(node, loseAll)
  connection.on?.('+node', (node) => listen(node, loseAll))
}

/** A failed attempt to connect loses no calls, because queued calls have not been sent. */
function listen(connection: RedisConnection, whenLost: () => void): void {
  let isReady = connection.status === 'ready'
  connection.on?.('ready', () => (isReady = true))
  connection.on?.('close', () => {
    if (isReady) whenLost()
    isReady = false
  })
}

function connectionOf(client: Commands & RedisConnection): RedisConnection {
  return client
}

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
