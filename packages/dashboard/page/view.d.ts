// The data that the page receives. The URLs are relative to the page.

import type { Act as ActName } from '../src/view.ts'

export type {
  ActView,
  DeniedKey,
  KeyPolicyView as KeyPolicy,
  KeyView,
  LimiterView,
  PolicyView,
  RulesView,
  RuleView,
  SearchView as Found,
  Series,
  StoreView,
  TopKey,
  TopKeys,
  View,
} from '../src/view.ts'
export type { ActName }

/** The body of `POST api/act`. */
export interface Act {
  readonly limiter: string
  readonly key: string
  readonly act: ActName
  readonly length?: string
  readonly units?: number
  readonly reason: string
}
