// The types that an application of any framework uses. Every entry for applications exports them.
export type {
  AddressSetting,
  Checked,
  FetchLimit,
  OnDenied,
  Platform,
  RateLimitOptions,
  WaitUntil,
} from './adapter.js'
