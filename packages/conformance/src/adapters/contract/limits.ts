import { fixedWindow, type Policy } from '@sluice/core'

/** So many requests a minute, all of them counted by one key. */
export function perMinute(limit: number): { readonly policy: Policy; readonly key: string } {
  return { policy: fixedWindow({ limit, window: '1m' }), key: 'all' }
}
