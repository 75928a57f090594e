import type { Decision, Limiter } from '@sluice/core'
import {
  checked,
  checkedIfGiven,
  isFunction,
  isPromise,
  isRecord,
  memberOf,
  remoteAddressOf,
} from '@sluice/core/internal'
import { byConnection, identify } from './by-connection.js'
import { Failure, tooManyWait, type Answer, type Denial } from './denial.js'
import { hold } from './hold.js'
import { createLimit, type SocketLimitOptions } from './limit.js'
import { createLine } from './line.js'
import type { MessageData, UpgradeRequest, WebSocketLike } from './socket.js'

/** A message that a client of ws has sent. */
export interface SocketMessage<W> {
  readonly socket: W
  readonly data: MessageData
  readonly isBinary: boolean
  /** The request of the upgrade, if the options contain it. */
  readonly request: UpgradeRequest | undefined
}

/** Handles a denied message. */
export type OnMessageDenied<W> = (message: SocketMessage<W>, decision: Decision) => unknown

/** Options of `limitMessages`. */
export interface MessageOptions<W> extends SocketLimitOptions<
  SocketMessage<W>,
  OnMessageDenied<W>
> {
  /** Receives the allowed messages, in their order. With a `concurrency` policy, a message holds a unit until the returned promise settles. */
  readonly onMessage: (data: MessageData, isBinary: boolean) => unknown
  /** The request of the upgrade, which the event `connection` passes: the source of the headers for `address` and `byHeader`. */
  readonly request?: UpgradeRequest | undefined
}

/**
 * Limits the messages that the client of a WebSocket of ws 8 sends, by default those of each connection. Call it in the listener of `connection`. The client
 * of a denied message receives `{ error, retryAfterMs }` as JSON; at the third denial within the time in which its quota would be full again, the socket is closed
 * with 1008. Messages keep their order.
 *
 * @example
 * import { createLimiter, gcra, limitMessages } from '@sluice/sockets'
 *
 * const messages = createLimiter({ name: 'messages', policies: gcra({ limit: 10, window: '1s', burst: 20 }) })
 * server.on('connection', (socket, request) => {
 *   limitMessages(socket, messages, { request, onMessage: (data) => socket.send(data) })
 * })
 * @throws SluiceError if the limiter or an option is wrong
 */
export function limitMessages<W extends WebSocketLike>(
  socket: W,
  limiter: Limiter,
  options: MessageOptions<W>,
): void {
  const limit = createLimit<SocketMessage<W>>(
    'limitMessages',
    limiter,
    options,
    byConnection(),
    moreReaders,
  )
  const { request, onMessage, onDenied } = options
  const peer = remoteAddressOf(request?.socket) ?? remoteAddressOf(memberOf(socket, '_socket'))
  const { url, headers = {} } = request ?? {}
  const line = createLine()
  const strikes = createStrikes()
  let waitingBytes = 0
  let isPausedHere = false
  let isToldToWait = false

  identify(socket)
  socket.on('message', receive)
  socket.once('close', end)

  function end(): void {
    socket.removeListener('message', receive)
    line.close()
    drained()
  }

  function receive(data: MessageData, isBinary: boolean): void {
    const message = { socket, data, isBinary, request }
    const bytes = bytesOf(data)
    const isAsked = line.add(
      (signal) => limit.ask(message, { peer, url, headers, sent: [data] }, signal),
      (answer) => {
        waitingBytes -= bytes
        if (line.waiting === 0) drained()
        limit.settle(answer, {
          allow: (decision) => pass(decision, () => onMessage(data, isBinary)),
          deny,
          onDenied: onDenied && ((decision) => onDenied(message, decision)),
        })
      },
    )
    if (!isAsked) {
      // Once, or a flood of messages would be answered by a flood.
      if (!isToldToWait) tell(tooManyWait)
      isToldToWait = true
      return
    }
    waitingBytes += bytes
    if (line.waiting >= manyWaiting || waitingBytes >= manyBytes) pause()
  }

  function deny(denial: Denial, answer: Answer): void {
    if (answer instanceof Failure || !strikes.isLast(answer)) return tell(denial)
    end()
    socket.close(policyViolation, 'rate limited')
  }

  /** Passes a message on, and holds its lease, if it has one, until the handler is done. */
  function pass(decision: Decision, handle: () => unknown): void {
    const letGo = hold(decision)
    try {
      const done = handle()
      if (decision.lease === undefined || !isPromise(done)) return letGo()
      // A rejection stays unhandled, as without a limit.
      void Promise.resolve(done).finally(letGo)
    } catch (error) {
      letGo()
      throw error
    }
  }

  function tell({ code: error, retryAfterMs }: Denial): void {
    // Texts to a client that does not read them would take memory without a bound.
    if (socket.bufferedAmount < mostUnsentBytes)
      socket.send(JSON.stringify({ error, retryAfterMs }))
  }

  function pause(): void {
    if (isPausedHere || socket.isPaused) return
    isPausedHere = true
    socket.pause()
  }

  function drained(): void {
    isToldToWait = false
    if (!isPausedHere) return
    isPausedHere = false
    socket.resume()
  }
}

const moreReaders = {
  onMessage: checked(
    'a function of the data of a message, and of whether it is binary',
    isFunction,
  ),
  request: checkedIfGiven('the request that the event "connection" passes', isUpgradeRequest),
}

/** RFC 6455, section 7.4.1. */
const policyViolation = 1008

const mostUnsentBytes = 65_536

// While so much waits for decisions, nothing more is read from the socket.
const manyWaiting = 64
const manyBytes = 2 ** 20

/** The denials of one window, at the last of which a socket is closed. */
const mostDenials = 3

/** A quota that is soon full again, or that nothing fills, has a window too. */
const shortestWindowMs = 1000

/** Counts the denials from the first one until the quota would be full again. */
function createStrikes(): { isLast(denial: Decision): boolean } {
  let count = 0
  let until = -Infinity
  return {
    isLast({ resetMs }) {
      const now = performance.now()
      if (now >= until) {
        count = 0
        until = now + Math.max(resetMs, shortestWindowMs)
      }
      count++
      return count >= mostDenials
    },
  }
}

/** The types of ws know no Blob, which the newest versions emit with `binaryType: 'blob'`. */
function bytesOf(data: MessageData | Blob): number {
  if (data instanceof Blob) return data.size
  if (!Array.isArray(data)) return data.byteLength
  return data.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

function isUpgradeRequest(value: unknown): boolean {
  return isRecord(value) && isRecord(value['headers']) && isRecord(value['socket'])
}
