/** A channel of `node:diagnostics_channel`, as far as Sluice needs it. Without a subscriber, a channel costs one read of a flag. */
export interface Channel<E> {
  readonly hasSubscribers: boolean
  publish(event: E): void
}

// Not imported, because the same core runs in browsers, which have no channels.
const diagnostics = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')

export function channel<E>(name: string): Channel<E> {
  return diagnostics?.channel(name) ?? { hasSubscribers: false, publish() {} }
}
