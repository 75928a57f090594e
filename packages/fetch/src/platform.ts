import { inheritedMember, isFunction, memberOf, remoteAddressOf } from '@sluice/core/internal'

/** The knowledge of a server about a request, beside the request itself. */
export interface Platform {
  /** The address of the client, or of the last proxy, if the adapter cannot find it. */
  readonly address?: string | undefined
  /** The pattern of the route that has matched, for `byRoute`. */
  readonly route?: string | undefined
  /** Keeps the runtime running until a promise settles. */
  readonly waitUntil?: WaitUntil | undefined
}

/** Keeps a runtime running until a promise settles. */
export type WaitUntil = (work: Promise<unknown>) => unknown

/** The platform of a handler, by the arguments that its server passes after the request. They are read only when something needs them. */
export class ServerArguments implements Platform {
  readonly #request: Request
  readonly #rest: readonly unknown[]

  constructor(request: Request, rest: readonly unknown[]) {
    this.#request = request
    this.#rest = rest
  }

  get address(): string | undefined {
    return reportedAddress(this.#request, this.#rest)
  }

  get waitUntil(): WaitUntil | undefined {
    return waitUntilIn(this.#request, this.#rest)
  }
}

/**
 * The address that a runtime reports by the object that it made itself and passes behind the request. No header is read, and no plain object, such as a body
 * that a handler passes on to another one: a client could have written them.
 */
export function reportedAddress(request: Request, rest: readonly unknown[]): string | undefined {
  const [passed] = rest
  // @hono/node-server passes the request of Node in a record.
  return addressBy(request, passed, memberOf(passed, 'incoming')) ?? addressOfSrvx(request)
}

/** @param passed on Bun its server, on Deno its information about the connection */
function addressBy(request: Request, passed: unknown, incoming: unknown): string | undefined {
  const requestIP = 'Bun' in globalThis ? inheritedMember(passed, 'requestIP') : undefined
  const remote = 'Deno' in globalThis ? inheritedMember(passed, 'remoteAddr') : undefined
  const found = isFunction(requestIP)
    ? memberOf(Reflect.apply(requestIP, passed, [request]), 'address')
    : memberOf(remote, 'hostname')
  return typeof found === 'string' ? found : remoteAddressOf(memberOf(incoming, 'socket'))
}

/** srvx adds the objects of the runtime to the request, and an address, which follows its setting `trustProxy`. Without these objects, that is a header. */
function addressOfSrvx(request: Request): string | undefined {
  const runtime = memberOf(request, 'runtime')
  const passed =
    memberOf(memberOf(runtime, 'bun'), 'server') ?? memberOf(memberOf(runtime, 'deno'), 'info')
  const known = addressBy(request, passed, memberOf(memberOf(runtime, 'node'), 'req'))
  const ip = known === undefined ? undefined : memberOf(request, 'ip')
  return typeof ip === 'string' ? ip : undefined
}

/** The address that a function of a framework returns. Some throw if their platform reports none. */
export function ifKnown(addressOf: () => string): string | undefined {
  try {
    return addressOf()
  } catch {
    return undefined
  }
}

/**
 * Workers pass a context with `waitUntil`, Next.js an event. srvx adds the function to the request. A request of Next.js on the edge runtime has one that
 * throws.
 */
export function waitUntilIn(request: Request, rest: readonly unknown[]): WaitUntil | undefined {
  const isOfSrvx = memberOf(memberOf(request, 'runtime'), 'name') !== undefined
  for (const value of isOfSrvx ? [...rest, request] : rest) {
    const waitUntil = memberOf(value, 'waitUntil')
    if (isFunction(waitUntil)) return (work): unknown => Reflect.apply(waitUntil, value, [work])
  }
  return undefined
}
