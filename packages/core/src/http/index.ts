export { createGuard } from './guard/guard.js'
export type { Guard, LimiterGuard } from './guard/guard.js'
export { inherit, mergeLimits } from './guard/merge-limits.js'
export type { ListedLimit } from './guard/merge-limits.js'
export {
  createLimiters,
  createRouteLimits,
  guardMade,
  inOrder,
  routeName,
} from './guard/route-limits.js'
export type { Limiters, MadeLimit, RouteLimit, RouteLimits } from './guard/route-limits.js'
export { assertOneOf, costOption, keyOption } from './options/check-options.js'
export { costReader } from './options/request-policies.js'
export { keyReader } from './keys/key-option.js'
export { addressesOf, addressOption } from './request/client-address.js'
export type { Addresses, AddressLookups } from './request/client-address.js'
export { warnOfFailure } from './request/mistakes.js'
export { keepLease } from '../limiter/leases.js'
export { delayRequest, firmWaitOf } from '../limiter/waits.js'
export { pause } from '../limiter/turns.js'
export { isCount, isFunction, isRecord } from '../options/predicates.js'
export {
  checked,
  checkedIfGiven,
  durationOrZero,
  optional,
  readOptions,
  shortDuration,
} from '../options/readers.js'
export type { OptionReader } from '../options/readers.js'
export type { OneRule, RateLimitOptions, WholeRule } from './options/options.js'
export type { Action, Continue, Deny, Handle } from './guard/action.js'
export { followHandler, settlementOf } from './guard/settlement.js'
export type { Settlement } from './guard/settlement.js'
export { headersOfReply, joinFields, writeFields, writtenFields } from './response/fields.js'
export type { Reply, ResponseHeaders } from './response/fields.js'
export { after, isPromise, rescued } from '../awaitable.js'
export { sluiceError } from '../errors.js'
export { requestError } from '../errors/request-error.js'
export { decidedPolicies } from '../limiter/read-decision.js'
export type { DecidedBy } from '../limiter/read-decision.js'
export { joinKey, keyOfRedisKey, startOf as redisKeyStart } from '../keys.js'
export { redisScripts } from '../stores/redis/scripts.js'
export type { RedisScripts } from '../stores/redis/scripts.js'
export { namedPolicies } from '../policy.js'
export { chosenPerCall } from '../limiter/bound-policies.js'
export { warnOfUnseenRoute } from './request/mistakes.js'
export { createView, trustProbe } from './request/view.js'
export type { Lookups, NodeRequest } from './request/view.js'
export { createWebView } from './request/web-view.js'
export type { WebLookups, WebRequest } from './request/web-view.js'
export { FetchExchange } from './request/fetch-exchange.js'
export type { Body, Signal } from './request/fetch-exchange.js'
export { whenOver } from './request/response.js'
export type {
  GuardedResponse,
  NodeResponse,
  ReportedResponse,
  Settling,
} from './request/response.js'
export type { EarlierHeaders, HeaderField } from './response/fields.js'
export { methodDecorator } from '../limited/decorator.js'
export type { AnyFunction } from '../limited/decorator.js'

export * from './application.js'
export { carryOut, decideByRules } from './rules/carry-out.js'
export type { CarriedOut, DecideOptions } from './rules/carry-out.js'
export type { CarryOutOptions } from './rules/ask-limits.js'
export type { LimitResult } from './rules/rule-decision.js'
export type {
  AppliedRule,
  Ask,
  Consumption,
  Judgement,
  Outcome,
  Pass,
  Refuse,
  Rules,
} from './rules/judgement.js'

export { addClientText } from '../errors/for-client.js'
export type { PolicyKind } from '../algorithms/ids.js'
export { millisecondsOf } from '../options/durations.js'
export { nearestWord } from '../errors/did-you-mean.js'
export { checkedPolicy } from '../algorithms/register.js'
export { addressText } from './lists/address.js'
export { formOf, resolvePolicy } from '../algorithms/kind.js'
export { AddressMap, AddressRanges, addressSortKey, rangeOfEntry } from './lists/address-ranges.js'
export type { Range } from './lists/address-ranges.js'
export { firstInOrder } from '../first-in-order.js'
export { isTimeZone, timeZoneOf } from '../time-zone.js'
export type { TimeZone } from '../time-zone.js'
