/**
 * Calls a function with the `process` of Node. Undefined if the runtime has none, or if the call throws: the edge runtime of Next.js throws when a
 * program reads a member of `process` that only Node has.
 */
export function withProcess<T>(use: (process: NodeJS.Process) => T): T | undefined {
  try {
    return globalThis.process === undefined ? undefined : use(globalThis.process)
  } catch {
    return undefined
  }
}

/** Lets the process end although a timer is pending. Only some runtimes have timers that keep it alive; elsewhere a timer is a number. */
export function letProcessEnd(timer: { unref?(): unknown } | number): void {
  if (typeof timer === 'object') timer.unref?.()
}

/** A member of a value of any kind. */
export function memberOf(value: unknown, name: string | symbol): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** A member that an object has from its class: a getter or a method. A client can write no such member, because JSON makes members of the object itself. */
export function inheritedMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, name)) return undefined
  let found: PropertyDescriptor | undefined
  let owner: unknown = Object.getPrototypeOf(value)
  while (typeof owner === 'object' && owner !== null && found === undefined) {
    found = Object.getOwnPropertyDescriptor(owner, name)
    owner = Object.getPrototypeOf(owner)
  }
  const isOfClass = found?.get !== undefined || typeof found?.value === 'function'
  return isOfClass ? Reflect.get(value, name) : undefined
}

/** The address of the other end of a connection, which only a socket of Node states. */
export function remoteAddressOf(socket: unknown): string | undefined {
  const address = inheritedMember(socket, 'remoteAddress')
  return typeof address === 'string' ? address : undefined
}
