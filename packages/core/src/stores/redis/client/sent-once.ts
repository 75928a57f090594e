import { isList } from '../../../options/predicates.js'
import type { SendScript } from './script-client.js'

/** The commands that Sluice sends by an ioredis client. */
interface Commands {
  readonly isCluster: boolean
  evalsha(digest: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
}

/** A command of ioredis, which writes its arguments each time it is sent. */
interface SentCommand {
  readonly name: string
  readonly args: unknown[]
}

/** What is used of an ioredis client besides its commands; a client that is wrapped may lack it. */
interface Connection {
  readonly status?: string
  on?(event: string, listener: (node: Connection) => void): unknown
  nodes?(): readonly Connection[]
  sendCommand?(command: SentCommand, stream?: unknown): unknown
}

/** A call that has no answer yet. */
interface Call {
  command: SentCommand | undefined
  /** Where the command has the moment after which it is void. */
  readonly voidAt: number
  isLost: boolean
  failed: (error: unknown) => void
}

type Send = (name: 'evalsha' | 'eval', ...call: Parameters<SendScript>) => void

/**
 * Sends each call once. When a connection is lost, ioredis sends again what it has sent and what was not answered (`autoResendUnfulfilledCommands`;
 * a Cluster does so after `retryDelayOnFailover`). The script may have run by then, and a second run would count twice. So the command that is
 * sent again is void: a moment in the past takes the place of the one that it was sent with.
 */
export function sendingOnce(client: Commands): Send {
  const calls = callsOf(client)
  let sent: SentCommand | undefined
  // The command that `evalsha` makes is passed to `sendCommand` of the same client. With `enableAutoPipelining` that happens later; such
  // a command is not known here, and is sent again as it was.
  const tapped = inherit(client, {
    sendCommand: {
      value(command: SentCommand, stream?: unknown) {
        sent = command
        return connectionOf(client).sendCommand?.(command, stream)
      },
    },
  })

  function lastSent(): SentCommand | undefined {
    return sent
  }

  function forget(call: Call): void {
    calls.delete(call)
    // A Set that is filled and emptied keeps what it held alive until the old generation is collected.
    call.command = undefined
    call.failed = nobody
  }

  return function send(name, script, keys, args, answered, failed) {
    sent = undefined
    let reply: Promise<unknown>
    try {
      reply = tapped[name](script, keys.length, ...keys, ...args)
    } catch (error) {
      failed(error)
      return
    }
    const call: Call = { command: lastSent(), voidAt: 2 + keys.length, isLost: false, failed }
    calls.add(call)
    function succeed(value: unknown): void {
      forget(call)
      if (!call.isLost) answered(value)
      // What a lost call of a Cluster is answered is void if it was sent again.
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

function nobody(): void {}

const inherit: (client: Commands, own: PropertyDescriptorMap) => Commands = Object.create

function lose(call: Call, isCluster: boolean): void {
  if (call.isLost) return
  const { command, voidAt } = call
  call.isLost = true
  // Of a client whose commands look otherwise, nothing is touched.
  if (command?.name.startsWith('eval') === true && command.args.length > voidAt) {
    command.args[voidAt] = '0'
  }
  // Of a Cluster, another node than the lost one may yet answer.
  if (!isCluster) call.failed(lost())
}

function isVoid(reply: unknown): boolean {
  return isList(reply) && reply.length === 1
}

function lost(cause?: unknown): Error {
  return new Error('the connection was lost before the answer came', { cause })
}

const known = new WeakMap<Commands, Set<Call>>()

/** The calls that have no answer yet, of all stores on the same client: each client is listened to once. */
function callsOf(client: Commands): Set<Call> {
  let calls = known.get(client)
  if (calls === undefined) {
    calls = new Set()
    known.set(client, calls)
    watch(client, calls)
  }
  return calls
}

function watch(client: Commands, calls: ReadonlySet<Call>): void {
  const connection = connectionOf(client)
  function loseAll(): void {
    for (const call of calls) lose(call, client.isCluster)
  }
  if (!client.isCluster) {
    listen(connection, loseAll)
    return
  }
  for (const node of connection.nodes?.() ?? []) listen(node, loseAll)
  connection.on?.('+node', (node) => listen(node, loseAll))
}

/** Of an attempt to connect that failed nothing was lost: what waits for it has not been sent. */
function listen(connection: Connection, whenLost: () => void): void {
  let isReady = connection.status === 'ready'
  connection.on?.('ready', () => (isReady = true))
  connection.on?.('close', () => {
    if (isReady) whenLost()
    isReady = false
  })
}

function connectionOf(client: Commands & Connection): Connection {
  return client
}
