import { byHeader } from './by-header.js'
import { byIp } from './by-ip.js'
import { byRoute } from './by-route.js'
import { byUser } from './by-user.js'
import { firstOf } from './first-of.js'

/** An example call for each function that makes a key function. Passed without a call, it would receive the request as its options. */
const calls = new Map<unknown, string>([
  [byIp, 'byIp()'],
  [byHeader, `byHeader('x-api-key')`],
  [byUser, 'byUser((request) => request.user?.id)'],
  [byRoute, 'byRoute()'],
  [firstOf, 'firstOf(byUser((request) => request.user?.id), byIp())'],
])

/** The advice if the option `key`, a part of it or a key of its record is such a function without a call. */
export function uncalledKey(option: unknown): string | undefined {
  const parts = [option, ...partsOf(option), ...partsOf(option).flatMap(partsOf)]
  const uncalled = parts.find((part) => calls.has(part))
  return uncalled === undefined ? undefined : `Call it: ${calls.get(uncalled)}`
}

function partsOf(option: unknown): readonly unknown[] {
  return typeof option === 'object' && option !== null ? Object.values(option) : []
}
