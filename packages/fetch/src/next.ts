export { rateLimit } from './next/route-handlers.js'
export { proxyLimit } from './next/proxy.js'
export type { NextSetting, ProxyEvent, ProxyLimit, ProxyLimitOptions } from './next/proxy.js'
export { decisionOf } from './request-limits.js'
export type { Handler, RateLimit } from './rate-limit.js'
export type * from './application.js'

// Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
