import { byHeader } from './by-header.js'
import { byIp } from './by-ip.js'
import { byRoute } from './by-route.js'
import { byUser } from './by-user.js'
import { firstOf } from './first-of.js'

/** How the functions that make key functions are called. One that is passed itself would be called with the request as its options. */
const calls = new Map<unknown, string>([
  [byIp, 'byIp()'],
  [byHeader, `byHeader('x-api-key')`],
  [byUser, 'byUser((request) => request.user?.id)'],
  [byRoute, 'byRoute()'],
  [firstOf, 'firstOf(byUser((request) => request.user?.id), byIp())'],
])

/** What to write where the option `key`, a part of it or a key of its record is such a function itself. */
export function uncalledKey(option: unknown): string | undefined {
  const parts = [option, ...partsOf(option), ...partsOf(option).flatMap(partsOf)]
  const uncalled = parts.find((part) => calls.has(part))
  return uncalled === undefined ? undefined : `It has to be called: ${calls.get(uncalled)}`
}

function partsOf(option: unknown): readonly unknown[] {
  return typeof option === 'object' && option !== null ? Object.values(option) : []
}
