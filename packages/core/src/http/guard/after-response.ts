import { SluiceError } from '../../errors.js'
import type { HeldLease } from '../../limiter/decision.js'
import { keepAlive } from '../../limiter/leases.js'
import type { AfterResponse, ExchangeEnd, ResponseOutcome } from '../request/exchange.js'
import { warnOfFailure } from '../request/mistakes.js'
import { nodeExchange, type GuardedResponse } from '../request/node-exchange.js'
import type { RequestContext } from '../response/limit-result.js'

/** Runs work once after a response, however it ends. A lease is renewed until then; with `releaseOn: 'done'`, until its handler is done. */
export function afterResponse<R>(
  { response, releaseOn }: RequestContext<R>,
  lease: HeldLease | undefined,
  work: AfterResponse,
): void {
  const owner = 'whenDone' in response ? response.request : response
  denials.set(owner, denials.get(owner) ?? false)
  const stopRenewing = lease === undefined ? () => {} : keepAlive(lease)

  async function end(outcome: ResponseOutcome): Promise<void> {
    stopRenewing()
    try {
      await work(denials.get(owner) === true ? { ...outcome, denied: true } : outcome)
    } catch (error) {
      // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
      warnOfFailure(error)
    }
  }

  if (lease === undefined) return endOf(response).whenOver(end)
  endOf(response).whenDone(end, lease.lengthMs, releaseOn === 'close' ? undefined : stopRenewing)
}

/** For each request with work after its response, whether the last limit that checked it has denied it. */
const denials = new WeakMap<object, boolean>()

/** Notes whether a limit has denied a request, for the limits in front of it. */
export function noteDenial(response: GuardedResponse, isDenied: boolean): void {
  const owner = 'whenDone' in response ? response.request : response
  if (denials.has(owner)) denials.set(owner, isDenied)
}

function endOf(response: GuardedResponse): ExchangeEnd {
  return 'whenDone' in response ? response : nodeExchange(response)
}

/** Whether the client has left. A server may notice it in the next turns of the event loop only. */
export async function hasLeft(response: GuardedResponse): Promise<boolean> {
  const end = endOf(response)
  for (let turn = 0; turn < 3 && !end.isDisconnected; turn++)
    await new Promise((resolve) => setTimeout(resolve))
  return end.isDisconnected
}

/** Whether an error is that of a client that is gone. Node forgets the address of a connection that has closed. */
export async function isOfGoneClient(error: unknown, response: GuardedResponse): Promise<boolean> {
  const isLost = error instanceof SluiceError && error.code === 'SLUICE_ADDRESS_MISSING'
  return error === clientLeft || (isLost && hasLeft(response))
}

/** The error of work that ended because the client has disconnected. The request has then consumed nothing. */
const clientLeft: Error = new Error('the client has disconnected')

/** Runs work until the client disconnects. */
export async function whileConnected<T>(
  response: GuardedResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const disconnect = new AbortController()
  const stopListening = endOf(response).whenDisconnected(() => disconnect.abort())
  try {
    return await work(disconnect.signal)
  } catch (error) {
    throw disconnect.signal.aborted ? clientLeft : error
  } finally {
    stopListening()
  }
}
