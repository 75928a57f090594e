import { fixedWindow, type Policy } from '@sluice/core'

/** A number of requests a minute, with one key for all. */
export function perMinute(limit: number): { readonly policies: Policy; readonly key: string } {
  return { policies: fixedWindow({ limit, window: '1m' }), key: 'all' }
}
