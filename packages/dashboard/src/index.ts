export { createDashboard } from './dashboard.js'
export type { Dashboard, DashboardOptions } from './dashboard.js'
export { redisView } from './share/redis-view.js'
export type { RedisViewOptions } from './share/redis-view.js'
export { readRedisView } from './read-redis-view.js'
export type { DashboardShare, FoundKeys } from './share/share.js'
export type { DashboardRules, RuleStats, ShownRule } from './data/rules-data.js'
export type { Authorization } from './http/authorize.js'
export type { ActEvent, Visitor } from './act-event.js'
export type {
  Act,
  ActView,
  DeniedKey,
  KeyPolicyView,
  KeyView,
  LimiterView,
  PolicyView,
  Role,
  RuleCounter,
  RulesView,
  RuleView,
  SearchView,
  Series,
  ShareView,
  StoreView,
  TopKey,
  TopKeys,
  View,
} from './view.js'
