import { isList } from '../../options/predicates.js'

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
  readonly command: SentCommand | undefined
  /** Where the command has the moment after which it is void. */
  readonly voidAt: number
  isLost: boolean
  fail(error: Error): void
}

/** Sends EVALSHA or EVAL; `args` begins with the moment after which the call is void. */
export type Send = (
  name: 'evalsha' | 'eval',
  script: string,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>

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

  async function answered(call: Call, reply: Promise<unknown>): Promise<unknown> {
    let value: unknown
    try {
      value = await reply
    } catch (error) {
      throw call.isLost ? lost(error) : error
    } finally {
      calls.delete(call)
    }
    if (call.isLost && isVoid(value)) throw lost()
    return value
  }

  return function send(name, script, keys, args) {
    sent = undefined
    const reply = tapped[name](script, keys.length, ...keys, ...args)
    const call: Call = { command: lastSent(), voidAt: 2 + keys.length, isLost: false, fail() {} }
    calls.add(call)
    const answer = answered(call, reply)
    // Of a Cluster, another node than the lost one may yet answer.
    if (client.isCluster) return answer
    const failed = new Promise<never>((_, reject) => (call.fail = reject))
    return Promise.race([answer, failed])
  }
}

const inherit: (client: Commands, own: PropertyDescriptorMap) => Commands = Object.create

function lose(call: Call): void {
  const { command, voidAt } = call
  call.isLost = true
  // Of a client whose commands look otherwise, nothing is touched.
  if (command?.name.startsWith('eval') === true && command.args.length > voidAt) {
    command.args[voidAt] = '0'
  }
  call.fail(lost())
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
    for (const call of calls) lose(call)
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
