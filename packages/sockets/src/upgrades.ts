import type { Decision, Limiter } from '@sluice/core'
import { byIp } from '@sluice/core/http'
import {
  byName,
  checked,
  isFunction,
  isRecord,
  readOptions,
  remoteAddressOf,
} from '@sluice/core/internal'
import { Failure, waitOf, type Answer } from './denial.js'
import { hold } from './hold.js'
import { createLimit, type SocketLimitOptions } from './limit.js'
import type { UpgradeRequest, ViewParts } from './socket.js'

/** A server whose upgrades are limited: `createServer()` of `node:http`, or a `WebSocketServer` of ws. */
export interface UpgradeServer {
  emit(event: string, ...args: unknown[]): boolean
}

/** The parts of the network connection of an upgrade that the limit uses. */
export interface UpgradeSocket {
  readonly destroyed: boolean
  on(event: 'error', listener: () => void): unknown
  once(event: 'close' | 'finish', listener: () => void): unknown
  removeListener(event: 'error', listener: () => void): unknown
  end(text: string): unknown
  destroy(): unknown
}

/** Handles a denied upgrade: it writes an HTTP response to the socket, and ends it. */
export type OnUpgradeDenied = (
  request: UpgradeRequest,
  socket: UpgradeSocket,
  decision: Decision,
) => unknown

/** Options of `limitUpgrades`. */
export type UpgradeOptions = SocketLimitOptions<UpgradeRequest, OnUpgradeDenied>

/**
 * Limits the upgrades of a server to WebSockets, by default those of each address. A denied one receives a 429 with `Retry-After` before the upgrade, whatever
 * listens for upgrades: ws, socket.io, or the application. With a `concurrency` policy, a connection holds a unit until it is closed.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { createLimiter, limitUpgrades } from '@sluice/sockets'
 * import { WebSocketServer } from 'ws'
 *
 * const server = createServer()
 * const sockets = new WebSocketServer({ server })
 * limitUpgrades(server, createLimiter({ name: 'upgrades', limit: 20, window: '1m' }))
 * @throws SluiceError if the limiter or an option is wrong
 */
export function limitUpgrades(
  server: UpgradeServer,
  limiter: Limiter,
  options: UpgradeOptions = {},
): void {
  readOptions('limitUpgrades', { server }, { server: serverOption })
  const limit = createLimit<UpgradeRequest>('limitUpgrades', limiter, options, byIp())
  const { onDenied } = options
  // ws calls `handleUpgrade` of itself, also for a server that it has made. Listeners of a server of Node are called by `emit`, also those that are added later.
  const method = 'handleUpgrade' in server ? 'handleUpgrade' : 'emit'
  const original: unknown = Reflect.get(server, method)
  if (!isFunction(original)) return
  const proceed = original
  Object.defineProperty(server, method, { value: limited, configurable: true, writable: true })

  function limited(...args: readonly unknown[]): unknown {
    const upgrade = method === 'emit' ? upgradeIn(args) : args
    if (!isUpgrade(upgrade)) return Reflect.apply(proceed, server, args)
    check(upgrade[0], upgrade[1], () => Reflect.apply(proceed, server, args))
    return true
  }

  function check(request: UpgradeRequest, socket: UpgradeSocket, upgrade: () => unknown): void {
    const closed = new AbortController()
    // Without a listener, an error of the connection would end the process.
    const destroy = (): unknown => socket.destroy()
    socket.on('error', destroy)
    socket.once('close', () => closed.abort())
    const { url, headers } = request
    const parts: ViewParts = {
      peer: remoteAddressOf(request.socket),
      url,
      headers,
      get sent() {
        return [...byName(new URLSearchParams(/\?.*/.exec(url ?? '')?.[0])).values()]
      },
    }
    void limit.ask(request, parts, closed.signal).then((answer) =>
      limit.settle(answer, {
        allow(decision) {
          const letGo = hold(decision)
          if (socket.destroyed) return letGo()
          socket.once('close', letGo)
          socket.removeListener('error', destroy)
          upgrade()
        },
        deny: (_denial, answer) => respond(socket, answer),
        onDenied: onDenied && ((decision) => onDenied(request, socket, decision)),
      }),
    )
  }
}

const serverOption = checked('a server of node:http, or a WebSocketServer of ws', isServer)

function isServer(value: unknown): value is UpgradeServer {
  return isRecord(value) && isFunction(value['emit'])
}

function upgradeIn([event, ...args]: readonly unknown[]): readonly unknown[] {
  return event === 'upgrade' ? args : []
}

function isUpgrade(
  args: readonly unknown[],
): args is readonly [UpgradeRequest, UpgradeSocket, ...unknown[]] {
  const [request, socket] = args
  return isRecord(request) && isRecord(request['headers']) && isRecord(socket)
}

/** Answers an upgrade in place of the server. */
function respond(socket: UpgradeSocket, answer: Answer): void {
  const [status, reason] = answer instanceof Failure ? statusOf(answer.error) : tooMany
  const retryAfter = answer instanceof Failure ? '' : `Retry-After: ${secondsOf(answer)}\r\n`
  const text = `${reason}.\n`
  // A client that does not close its half of the connection would keep it.
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${retryAfter}Connection: close\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
}

type Status = readonly [status: number, reason: string]

const tooMany: Status = [429, 'Too Many Requests']

/** A client may have sent no user or no key. */
function statusOf(error: unknown): Status {
  return isRecord(error) && error['status'] === 400
    ? [400, 'Bad Request']
    : [500, 'Internal Server Error']
}

/** Whole seconds, at least 1; until the quota is full if the cost can never fit. */
function secondsOf(decision: Decision): number {
  return Math.max(1, Math.ceil((waitOf(decision) ?? decision.resetMs) / 1000))
}
