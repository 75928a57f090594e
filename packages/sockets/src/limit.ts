import type { Costs, Decision, Limiter } from '@sluice/core'
import {
  addressesOf,
  addressOption,
  costOption,
  definedCost,
  keyOption,
  keyReader,
  warnOfFailure,
  type AddressOption,
  type Awaitable,
  type KeyOption,
} from '@sluice/core/http'
import {
  checked,
  checkedIfGiven,
  delayRequest,
  isFunction,
  isRecord,
  readOptions,
} from '@sluice/core/internal'
import { denialOf, Failure, type Answer, type Denial } from './denial.js'
import { viewOf, type ViewParts } from './socket.js'

/** The options of all limits of sockets. `R` is a connection, an event, a message or an upgrade, and `H` is the handler of those that are denied. */
export interface SocketLimitOptions<R, H> {
  /**
   * The key: a constant, a list, or a function such as `byIp()`, `byConnection()`, `byUser(…)` or `firstOf(…)`; or one of these for each policy by its
   * name.
   *
   * @default `byIp()` for connections and upgrades, `byConnection()` for events and messages
   */
  readonly key?: KeyOption<R> | undefined
  /**
   * Units that it takes: a whole number, a record from the name of a policy to a number, or a function that returns either, such as the bytes of a
   * message.
   *
   * @default 1
   */
  readonly cost?: Costs | ((request: R) => Awaitable<Costs>) | undefined
  /**
   * The place of the client's address: `{ proxies: n }` for n proxies in front of the server, `{ header }` for a header that the platform always
   * overwrites, or a function. No header is read unless this option names it.
   *
   * @default the address of the connection
   */
  readonly address?: AddressOption<R> | undefined
  /** Handles a denial in place of the limit. It is not called if the limit itself fails: that is always denied. */
  readonly onDenied?: H | undefined
}

/** The consequences of an answer. */
export interface Consequences {
  allow(decision: Decision): void
  deny(denial: Denial, answer: Answer): void
  /** The handler of the application, in place of `deny`. */
  readonly onDenied: ((decision: Decision) => unknown) | undefined
}

/** Asks a limiter. */
export interface Limit<R> {
  /** Never throws nor rejects. An allowed request that a leaky queue delays is answered after its delay, which the signal ends. */
  ask(raw: R, parts: ViewParts, signal?: AbortSignal): Promise<Answer>
  settle(answer: Answer, consequences: Consequences): void
  /** Reports an error as a warning of the process, at most once a minute, because clients could cause one with each message. */
  report(error: unknown): Failure
}

const limiterOption = checked<Limiter>('a limiter: createLimiter({ name, policies })', isLimiter)

const readers = {
  key: keyOption,
  cost: costOption,
  address: addressOption,
  onDenied: checkedIfGiven('a function', isFunction),
}

/** @throws SluiceError if the limiter or an option is wrong */
export function createLimit<R>(
  where: string,
  limiter: Limiter,
  options: SocketLimitOptions<R, unknown>,
  usualKey: KeyOption<R>,
  more: Readonly<Record<string, ReturnType<typeof checkedIfGiven>>> = {},
): Limit<R> {
  readOptions(where, { limiter }, { limiter: limiterOption })
  readOptions(where, options, { ...readers, ...more })
  const keyOf = keyReader(limiter.name, options.key ?? usualKey)
  const addresses = addressesOf<R, ViewParts>(options.address, {
    peer: (_raw, { peer }) => peer,
    header: (_raw, { headers }, name) => headers[name],
    advice: () => addressAdvice,
  })
  let quietUntil = -Infinity

  function report(error: unknown): Failure {
    const now = performance.now()
    if (now >= quietUntil) {
      quietUntil = now + reportEveryMs
      warnOfFailure(error)
    }
    return new Failure(error)
  }

  async function consume(raw: R, parts: ViewParts, signal?: AbortSignal): Promise<Decision> {
    const key = await keyOf(raw, viewOf(raw, parts, addresses))
    const { cost: own = 1 } = options
    const cost = typeof own === 'function' ? definedCost(limiter.name, await own(raw)) : own
    const decision = await limiter.consume(key, { cost, request: raw })
    return decision.delayMs > 0 ? delayRequest(limiter, decision, signal) : decision
  }

  return {
    ask: async (raw, parts, signal) =>
      consume(raw, parts, signal).catch((error: unknown) =>
        signal?.aborted === true ? new Failure(error) : report(error),
      ),

    settle(answer, { allow, deny, onDenied }) {
      const denyFor = (denied: Answer): void => deny(denialOf(denied), denied)
      if (answer instanceof Failure) return denyFor(answer)
      if (answer.allowed) return allow(answer)
      if (onDenied === undefined) return denyFor(answer)
      void (async () => onDenied(answer))().catch((error: unknown) => denyFor(report(error)))
    },

    report,
  }
}

const reportEveryMs = 60_000

const addressAdvice =
  'If a proxy or a unix socket is in front of the server, pass "address", such as { proxies: 1 }'

function isLimiter(value: unknown): value is Limiter {
  return isRecord(value) && isFunction(value['consume'])
}
