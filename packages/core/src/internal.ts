// The names that the other packages of Sluice use, besides the public ones. Not for applications: it changes without notice.
import type * as core from './index.js'

export { hasLeases, layoutOf, resolvePolicy } from './algorithms/kind.js'
export { checkedPolicy } from './algorithms/kinds.js'
export { isPromise, type Awaitable } from './awaitable.js'
export { byName } from './by-name.js'
export { sluiceError } from './errors.js'
export { nearestWord } from './errors/did-you-mean.js'
export { addClientText } from './errors/for-client.js'
export { requestError } from './errors/request-error.js'
export { isInstance, isNotLimited, joinKey, keyError } from './keys.js'
export { isKey } from './limiter/arguments.js'
export { keyOfRedisKey, redisKeys, startOf as redisKeyStart } from './keys.js'
export { methodDecorator } from './limited/decorator.js'
export { waitAfter } from './limiter/acquire.js'
export { chosenPerCall } from './limiter/limiter-policies.js'
export { keepLease } from './limiter/leases.js'
export { noNames } from './limiter/read-decision.js'
export { receiptsOf, withReceipts } from './limiter/receipt.js'
export { longestTimerMs, pause } from './limiter/pause.js'
export { putByName } from './limiter/verdict.js'
export { delayRequest, firmWaitOf } from './limiter/waits.js'
export { millisecondsOf } from './options/durations.js'
export { isBoolean, isCount, isFunction, isList, isRecord, isText } from './options/predicates.js'
export {
  checked,
  checkedIfGiven,
  durationOrZero,
  oneOf,
  optional,
  readOptions,
  shortDuration,
  type OptionReader,
} from './options/readers.js'
export { countedMethod } from './methods.js'
export { namedPolicies } from './policy.js'
export { inheritedMember, memberOf, remoteAddressOf } from './runtime.js'
export { KeyHash, newKeyHash } from './stores/memory/key-hash.js'
export { blockedMs } from './stores/override.js'
export { redisScripts, type RedisScripts } from './stores/redis/scripts.js'
export { isTimeZone, timeZoneOf, type TimeZone } from './algorithms/calendar-window/time-zone.js'

/** The name of a builder. */
export type PolicyKind = {
  [K in keyof typeof core]: (typeof core)[K] extends (options: never) => { readonly kind: K }
    ? K
    : never
}[keyof typeof core]
