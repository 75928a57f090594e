/** The entry for adapters. */
export * from './application.js'
export { noteDenial, whileConnected } from './guard/after-response.js'
export { createGuard } from './guard/guard.js'
export { afterwards } from './guard/limit.js'
export type { Action, Continue, Deny, Guard, Handle, LimiterGuard } from './guard/action.js'
export type {
  Counted,
  DenialAnswer,
  LimitResult,
  PublicNames,
  RequestContext,
  ResponseTerms,
  Rules,
} from './response/limit-result.js'
export { assertWithoutResponse, isSuccess, keysToReset } from './guard/counting.js'
export { createLimiters, inherit, inOrder } from './guard/several.js'
export type { Limiters } from './guard/several.js'
export { checkOptions, costOption, keyOption } from './options/check-options.js'
export { definedCost } from './options/request-policies.js'
export type { OneRule, RateLimitOptions, WholeRule } from './options/options.js'
export { keyReader } from './keys/key-option.js'
export {
  AddressRanges,
  addressSortKey,
  lastUpTo,
  rangeOfEntry,
  rangeOrder,
} from './lists/address-ranges.js'
export type { Range } from './lists/address-ranges.js'
export { addressText } from './lists/address.js'
export { addressesOf, addressOption } from './request/client-address.js'
export type { Addresses, AddressLookups } from './request/client-address.js'
export type { AfterResponse, Exchange } from './request/exchange.js'
export { FetchExchange } from './request/fetch-exchange.js'
export type { Body, Signal } from './request/fetch-exchange.js'
export { warnOfFailure, warnOfUnseenRoute } from './request/mistakes.js'
export { followHandler, whenOver } from './request/node-exchange.js'
export type { GuardedResponse, NodeResponse } from './request/node-exchange.js'
export { createView, createWebView, trustProbe } from './request/view.js'
export type { Lookups, NodeRequest, WebLookups, WebRequest } from './request/view.js'
export { joinFields, writeFields } from './response/fields.js'
export type { EarlierHeaders, HeaderField, ResponseHeaders } from './response/fields.js'
