import {
  DeniedError,
  notLimited,
  type Decision,
  type Duration,
  type Keys,
  type Limiter,
} from '@sluice/core'
import {
  checked,
  checkedIfGiven,
  durationOrZero,
  isBoolean,
  isCount,
  isFunction,
  isRecord,
  keepLease,
  memberOf,
  optional,
  pause,
  readOptions,
  sluiceError,
  type Awaitable,
  type OptionReader,
} from '@sluice/core/internal'
import { isRepeatable, urlOf } from './call.js'
import { blockKey } from './server-block.js'
import { serverWaitMs, type ResponseHead } from './server-wait.js'

/** The parts of a response that `limitedFetch` uses. */
export interface FetchResponse extends ResponseHead {
  readonly body?: unknown
}

/** Options of `limitedFetch`, besides `fetch`. `R` is the type of a response. */
export interface CallOptions<R = Response> {
  /**
   * The longest time that a call waits, with its retries. A call that is known to wait longer rejects at once with a DeniedError.
   *
   * @default '30s'
   */
  readonly maxWait?: Duration | undefined
  /**
   * The most retries of a call that the server denies: with 429, with a 403 that names a time, or with an error from which `waitOf` reads a time. A call is
   * retried only with an idempotent method, without a streamed body, and if the response names a time within `maxWait`.
   *
   * @default 2
   */
  readonly retries?: number | undefined
  /**
   * Whether a call of any method, such as POST, is retried if it has a header `Idempotency-Key`. Set it only for servers that execute such a call once.
   *
   * @default false
   */
  readonly retryByIdempotencyKey?: boolean | undefined
  /**
   * Reads the time after which the server allows the next call, from a response whose headers `limitedFetch` does not know: milliseconds, which are rounded
   * up, or a string such as '1.2s'. It is called with each response, and may return a promise. If it returns undefined, the known headers decide. To read
   * the body, read that of `response.clone()`.
   */
  readonly waitOf?: ((response: R) => Awaitable<Duration | undefined>) | undefined
  /**
   * The key that calls count by: a constant, or a function of the call's URL. By default, a URL without a host, such as one of `data:`, is not limited.
   *
   * @default the host
   */
  readonly key?: Keys | ((url: URL) => Keys) | undefined
}

/** Options of `limitedFetch`. `F` is the type of the function that sends the calls. */
export interface FetchOptions<
  F extends (...args: never[]) => unknown = typeof globalThis.fetch,
> extends CallOptions<Awaited<ReturnType<F>>> {
  /**
   * The function that sends a call.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: F | undefined
}

/**
 * Limits outgoing calls. A call waits until the limiter allows it, by its host. If a response says that the server allows no call before some time
 * (`Retry-After` of a 403, 429 or 503, `RateLimit`, `RateLimit-Reset`, `X-RateLimit-Reset`, or what `waitOf` reads), all processes that share the store make no call
 * until then, for at most an hour. The signal of a call ends its wait. With a `concurrency` policy, a call holds a unit until its response begins.
 *
 * @example
 * import { createLimiter, limitedFetch, tokenBucket } from '@sluice/client'
 *
 * const limiter = createLimiter({ name: 'api', policies: tokenBucket({ capacity: 30, refill: 10, every: '1s' }) })
 * const call = limitedFetch(limiter, { maxWait: '30s', retries: 2 })
 * const response = await call('https://api.example.com/items')
 * @throws SluiceError if an option is wrong; a call rejects with a DeniedError if `maxWait` is too short, with the reason of its signal, or with the error of `fetch`
 * or `waitOf`
 */
export function limitedFetch(limiter: Limiter, options?: CallOptions): typeof globalThis.fetch
export function limitedFetch<I, N, R extends FetchResponse>(
  limiter: Limiter,
  options: FetchOptions<(input: I, init?: N) => Promise<R>>,
): (input: I, init?: N) => Promise<R>
export function limitedFetch(limiter: Limiter, options: AnyOptions = {}): unknown {
  readOptions(where, { limiter }, { limiter: limiterOption })
  const { maxWait, retries, retryByIdempotencyKey } = readOptions(where, options, readers)
  const { key, fetch = send, waitOf } = options

  return async function limitedCall(input: unknown, init?: unknown): Promise<FetchResponse> {
    const own = key === undefined ? hostOf(input) : keyOf(key, input)
    const signal = signalOf(input, init)
    // All waits of a call together take at most `maxWait`.
    let leftMs = maxWait
    async function timed<T>(wait: PromiseLike<T>): Promise<T> {
      const began = performance.now()
      const result = await wait
      leftMs = Math.max(0, leftMs - (performance.now() - began))
      return result
    }
    const enter = async (): Promise<Decision> =>
      timed(limiter.acquire(own, { maxWait: Math.floor(leftMs), signal }))
    const first = await enter()
    if (!first.allowed) throw new DeniedError(limiter.name, first, 'a longer "maxWait"')
    let response = await whileHeld(first, () => fetch(input, init))
    for (let retry = 0; ; retry++) {
      const ownMs = wholeMs(await waitOf?.(response))
      const waitMs = ownMs ?? serverWaitMs(response)
      const isObeyed =
        waitMs === undefined || waitMs === 0 || (await blockKey(limiter, own, waitMs))
      if (waitMs === undefined || waitMs > leftMs || retry === retries) return response
      if (!isDenial(response, ownMs) || !isRepeatable(input, init, retryByIdempotencyKey)) {
        return response
      }
      if (!isObeyed) await timed(pause(waitMs, signal))
      const next = await enter()
      if (!next.allowed) return response
      await discard(response)
      response = await whileHeld(next, () => fetch(input, init))
    }
  }
}

// A method has bivariant parameters: the types of a call and of its response are those of the function that sends it.
type Send = { send(input: unknown, init?: unknown): Promise<FetchResponse> }['send']

interface AnyOptions extends Omit<FetchOptions<Send>, 'waitOf'> {
  readonly waitOf?: WaitOf['read'] | undefined
}

type WaitOf = { read(response: FetchResponse): Awaitable<Duration | undefined> }

/** Looks the function up at each call, because tests and tools replace it. */
const send: Send = async (input: string | URL | Request, init?: RequestInit) =>
  globalThis.fetch(input, init)

/** A 403 denies for a time only if it names one. Of other errors, `waitOf` alone knows whether they deny. */
function isDenial({ status }: FetchResponse, ownMs = 0): boolean {
  return status === 429 || status === 403 || (status >= 400 && ownMs > 0)
}

/** @throws SluiceError SLUICE_RESULT_INVALID */
function wholeMs(wait: Duration | undefined): number | undefined {
  if (wait === undefined) return undefined
  const read = durationOrZero.read(typeof wait === 'number' ? Math.ceil(wait) : wait)
  if (read !== undefined) return read
  const expected = `${durationOrZero.expected}, or undefined`
  throw sluiceError('SLUICE_RESULT_INVALID', where, 'waitOf', wait, expected)
}

const where = 'limitedFetch'

const limiterOption = checked<Limiter>('a limiter: createLimiter({ name, policies })', isLimiter)

const retriesOption: OptionReader<number> = {
  expected: 'a whole number, 0 or more',
  read: (value) => (isCount(value) ? value : undefined),
}

const readers = {
  maxWait: optional(durationOrZero, 30_000),
  retries: optional(retriesOption, 2),
  retryByIdempotencyKey: optional(checked('true or false', isBoolean), false),
  waitOf: checkedIfGiven('a function from a response to a duration or undefined', isFunction),
  key: checkedIfGiven('a key, or a function from the URL of a call to its key', isKeyOption),
  fetch: checkedIfGiven('a function with the parameters and the result of fetch', isFunction),
}

function isLimiter(value: unknown): value is Limiter {
  return isRecord(value) && isFunction(value['acquire'])
}

/** The limiter checks a constant key. */
function isKeyOption(value: unknown): boolean {
  return value !== null && value !== ''
}

/** A URL without a host, such as one of `data:`, sends nothing to a server. */
function hostOf(input: unknown): Keys {
  const { host } = urlOf(input)
  return host === '' ? notLimited : host
}

function keyOf(key: NonNullable<CallOptions['key']>, input: unknown): Keys {
  return typeof key === 'function' ? key(urlOf(input)) : key
}

/** The signal of a call. As in fetch, that of the options replaces that of a request, also if it is null. */
function signalOf(input: unknown, init: unknown): AbortSignal | undefined {
  const own = memberOf(init, 'signal')
  const signal = own === undefined ? memberOf(input, 'signal') : own
  return signal instanceof AbortSignal ? signal : undefined
}

async function whileHeld<T>({ lease }: Decision, work: () => Promise<T>): Promise<T> {
  if (lease === undefined) return work()
  const release = keepLease(lease)
  try {
    return await work()
  } finally {
    await settled(release)
  }
}

/** A lease that cannot be released expires. */
async function settled(release: () => unknown): Promise<void> {
  try {
    await release()
  } catch {}
}

/** Frees the connection of a response that nobody reads. */
async function discard({ body }: FetchResponse): Promise<void> {
  const cancel = memberOf(body, 'cancel')
  if (isFunction(cancel)) await settled(() => Reflect.apply(cancel, body, []))
}
