import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

/** The events of a channel, until the test ends. */
export function toldOn<E>(channel: string): E[] {
  const told: E[] = []
  const listen = (event: unknown) => void told.push(event as E)
  subscribe(channel, listen)
  onTestFinished(() => void unsubscribe(channel, listen))
  return told
}
