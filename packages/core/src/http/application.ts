// The exports that an application uses. Each adapter re-exports them, so that an application needs one import.
export { accessList } from './lists/access-list.js'
export type { AccessList } from './lists/access-list.js'
export { byIp, ipKey } from './keys/by-ip.js'
export type { ByIpOptions } from './keys/by-ip.js'
export { byHeader, byRoute, byUser, firstOf } from './keys/key-functions.js'
export type { LimiterAccess } from './guard/action.js'
export type { KeyAttempt, KeyFunction, UserId } from './keys/key-functions.js'
export type { KeyOption, KeyPart, KeySource } from './keys/key-option.js'
export type { AddressOption } from './request/client-address.js'
export type { RequestView } from './request/view.js'
export type { ResponseOutcome } from './request/exchange.js'
export type { HeaderStyle } from './response/header-fields.js'
export type {
  DenialBody,
  DenialBodyFunction,
  RequestDecision,
} from './response/request-decision.js'
export type { Awaitable } from '../awaitable.js'
export type { MethodDecorator } from '../limited/decorator.js'
