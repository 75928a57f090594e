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

/** The platform of a handler, by the shape of the arguments that its server passes after the request. They are read only when something needs them. */
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

/** The address that a runtime reports. None of these is a header, which a client could write. */
export function reportedAddress(request: Request, rest: readonly unknown[]): string | undefined {
  for (const value of rest) {
    if (!isObject(value)) continue
    // Bun passes its server, Deno its information about the connection, and @hono/node-server the request of Node.
    if (isBun(value)) return value.requestIP(request)?.address
    const found =
      memberOf(memberOf(value, 'remoteAddr'), 'hostname') ??
      memberOf(memberOf(memberOf(value, 'incoming'), 'socket'), 'remoteAddress')
    if (typeof found === 'string') return found
  }
  return addressOfSrvx(request)
}

/** srvx adds the address to the request. On other runtimes than these, its address is a header. */
function addressOfSrvx(request: Request): string | undefined {
  const runtime = memberOf(memberOf(request, 'runtime'), 'name')
  if (runtime !== 'node' && runtime !== 'bun' && runtime !== 'deno') return undefined
  const ip = memberOf(request, 'ip')
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
    if (isObject(value) && canWait(value)) return (work) => value.waitUntil(work)
  }
  return undefined
}

interface BunServer {
  requestIP(request: Request): { readonly address: string } | null
}

function isBun(value: object): value is BunServer {
  return 'requestIP' in value && typeof value.requestIP === 'function'
}

function canWait(value: object): value is { waitUntil: WaitUntil } {
  return 'waitUntil' in value && typeof value.waitUntil === 'function'
}

/** The member of a value of any kind. */
export function memberOf(value: unknown, name: string | symbol): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
