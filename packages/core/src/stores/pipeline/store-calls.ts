import { storeEvents } from '../events.js'
import { hasFailed, type PendingRequest } from '../pending.js'
import type { Answer } from '../store.js'

/** Notes that requests are sent together. A transport calls it only while the channel of calls has a subscriber. */
export function noteCall(pending: readonly PendingRequest[]): void {
  const { length } = pending
  const call = { requests: length, sentAt: performance.now(), open: length, error: undefined }
  for (let i = 0; i < length; i++) pending[i].call = call
}

/** Publishes the calls whose last request has one of these answers. */
export function publishCalls(
  store: string,
  pending: readonly PendingRequest[],
  answers: readonly Answer[],
): void {
  for (let i = 0; i < pending.length; i++) {
    const { call } = pending[i]
    if (call === undefined) continue
    const answer = answers[i]
    if (hasFailed(answer)) call.error ??= answer
    if (--call.open > 0) continue
    const { requests, sentAt, error } = call
    const durationMs = performance.now() - sentAt
    storeEvents.storeCall.publish({ store, requests, durationMs, error })
  }
}
