import type { Decision, Limiter } from '@sluice/core'
import { memberOf } from '@sluice/core/internal'
import { byConnection } from './by-connection.js'
import { DenialError, tooManyWait, type Denial } from './denial.js'
import { hold } from './hold.js'
import {
  ioMiddleware,
  once,
  partsOf,
  whenOver,
  type IoMiddleware,
  type IoSocket,
  type Next,
} from './io.js'
import { createLimit, type SocketLimitOptions } from './limit.js'
import { createLine } from './line.js'

/** An event that a client of socket.io has sent. */
export interface SocketEvent<S> {
  readonly socket: S
  readonly name: string
  /** The arguments of the event, without the acknowledgement. */
  readonly args: readonly unknown[]
  /** The acknowledgement, if the client asked for one. */
  readonly acknowledge: Acknowledge | undefined
}

type Acknowledge = (...args: readonly unknown[]) => void

/** Handles a denied event: `next()` lets it pass, and an event without a call of `next` is dropped. */
export type OnEventDenied<S> = (event: SocketEvent<S>, next: Next, decision: Decision) => unknown

/** Options of `limitEvents`. */
export type EventOptions<S> = SocketLimitOptions<SocketEvent<S>, OnEventDenied<S>>

/**
 * Limits the events that the clients of a namespace of socket.io 4 send, by default those of each connection. A denied event does not reach its
 * listeners: its acknowledgement receives `{ error: { code, retryAfterMs } }`; if it has none, the socket emits `error` on the server. Events keep
 * their order. Listeners of `onAny` see denied events as well: socket.io calls them before its middlewares.
 *
 * @example
 * import { createLimiter, gcra, limitEvents } from '@sluice/sockets'
 *
 * const events = createLimiter({ name: 'events', policies: gcra({ limit: 10, window: '1s', burst: 20 }) })
 * io.use(limitEvents(events))
 * @throws SluiceError if the limiter or an option is wrong
 */
export function limitEvents<S extends IoSocket>(
  limiter: Limiter,
  options: EventOptions<S> = {},
): IoMiddleware<S> {
  const limit = createLimit<SocketEvent<S>>('limitEvents', limiter, options, byConnection())
  const { onDenied } = options

  return ioMiddleware('limitEvents', limit, (socket, next) => {
    const line = createLine()
    whenOver(socket, 'disconnect', () => line.close())
    socket.use((packet, pass) => {
      const event = eventOf(socket, packet)
      const proceed = once(pass)
      const denyEvent = (denial: Denial): void => deny(event, denial, proceed)
      const isAsked = line.add(
        (signal) => limit.ask(event, partsOf(socket, event.args), signal),
        (answer) =>
          limit.settle(answer, {
            allow: (decision) => carryOn(decision, event, packet, pass),
            deny: denyEvent,
            onDenied: onDenied && ((decision) => onDenied(event, proceed, decision)),
          }),
      )
      if (!isAsked) denyEvent(tooManyWait)
    })
    next()
  })
}

function eventOf<S>(socket: S, [name, ...args]: readonly [string, ...unknown[]]): SocketEvent<S> {
  const last = args.at(-1)
  const acknowledge = isAcknowledgement(last) ? last : undefined
  return { socket, name, args: acknowledge === undefined ? args : args.slice(0, -1), acknowledge }
}

/** A client cannot send a function: socket.io adds it for a client that waits for an acknowledgement. */
function isAcknowledgement(value: unknown): value is Acknowledge {
  return typeof value === 'function'
}

function deny(event: SocketEvent<IoSocket>, denial: Denial, pass: Next): void {
  const { socket, acknowledge } = event
  // Versions of socket.io before 4.6.2 throw if nobody listens.
  if (acknowledge === undefined && socket.listenerCount('error') > 0) pass(new DenialError(denial))
  if (acknowledge !== undefined && !isCongested(socket)) acknowledge({ error: denial })
}

/** Acknowledgements to a client that does not read them would take memory without a bound. */
const mostUnsent = 4096

function isCongested({ conn }: IoSocket): boolean {
  const unsent = memberOf(conn, 'writeBuffer')
  return Array.isArray(unsent) && unsent.length >= mostUnsent
}

/** Passes an event on. If it holds a lease, then until it is acknowledged; one without an acknowledgement until its listeners have returned. */
function carryOn(
  decision: Decision,
  { socket, acknowledge }: SocketEvent<IoSocket>,
  packet: unknown[],
  pass: Next,
): void {
  const letGo = hold(decision)
  if (decision.lease !== undefined && acknowledge !== undefined) {
    const cancel = whenOver(socket, 'disconnect', letGo)
    packet[packet.length - 1] = function acknowledgeAndEnd(...args: readonly unknown[]) {
      cancel()
      letGo()
      acknowledge(...args)
    }
  }
  pass()
  // socket.io calls the listeners in the next tick.
  if (decision.lease !== undefined && acknowledge === undefined) setImmediate(letGo)
}
