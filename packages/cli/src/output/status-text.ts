import { addressSortKey, ipKey } from '@sluice/core/http'
import { notCounted, type KeyState, type PolicyState } from '../live/target.js'
import { shownKey } from '../reading/key-text.js'
import { durationText } from '../text/duration.js'
import { visible } from '../text/visible.js'
import type { Style } from './style.js'

/** Formats the counts of a key: one line for each policy of each limiter. */
export function statesAsText(states: readonly KeyState[], style: Style): string {
  const rows = states.flatMap(({ limiter, policies }) =>
    policies.map((policy) => ({ limiter: visible(limiter), name: nameOf(policy), policy })),
  )
  const limiterWidth = Math.max(...rows.map(({ limiter }) => limiter.length))
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(
    ({ limiter, name, policy }) =>
      `${limiter.padEnd(limiterWidth)}  ${name.padEnd(nameWidth)}  ${stateText(policy, style)}`,
  )
  const others = states.filter(({ policies }) => policies.length === 0)
  return [...lines, ...others.map(({ limiter, key }) => visible(notCounted(limiter, key)))]
    .map((line) => `${line}\n`)
    .join('')
}

function nameOf({ name, variant }: PolicyState): string {
  return visible(variant === undefined ? name : `${name} (${variant})`)
}

function stateText(policy: PolicyState, { error, warning, success }: Style): string {
  const { used, limit, remaining, resetMs, blockedMs, exemptMs, granted } = policy
  const { isUncertain = false } = policy
  const usedText = isUncertain
    ? `${used} used, the limit depends on the request`
    : limit === null
      ? 'no limit'
      : `${used} of ${limit} used`
  if (exemptMs > 0) return `${success('exempt ')}  for ${durationText(exemptMs)}, ${usedText}`
  if (blockedMs > 0) return `${error('blocked')}  for ${durationText(blockedMs)}, ${usedText}`
  if (isUncertain) return usedText
  if (limit === null) return `${success('allowed')}  ${usedText}`
  const full = resetMs > 0 ? `, full in ${durationText(resetMs)}` : ''
  const state = remaining === 0 ? warning('denied ') : success('allowed')
  if (granted === undefined) return `${state}  ${used} used, ${remaining} of ${limit} remain${full}`
  return `${state}  ${used} of ${limit} used, ${remaining} remain with ${granted} granted${full}`
}

/**
 * The advice about a key that is an address, or a network of IPv6, in a form under which an adapter counts nothing: `2001:db8::1`, `ip:2001:db8::1`,
 * `ip:2001:DB8::/64`. Undefined for any other key.
 */
export function addressAdvice(key: string): string | undefined {
  const [, address, bits] = addressKey.exec(key) ?? []
  if (address === undefined || addressSortKey(address) === undefined) return undefined
  const counted = ipKey(address, bits === undefined ? {} : { ipv6: Number(bits) })
  // A range of IPv4 is not the address of a client.
  const isRange = bits !== undefined && !counted.includes('/')
  if (counted === key || isRange) return undefined
  return `note: rateLimit counts this address under the key ${counted}`
}

/** The advice about a key of which the store has no counts: a misspelt key, limiter or prefix looks the same as a key with its full quota. */
export function nothingCounted(key: string): string {
  return `note: nothing is counted for ${shownKey(key)}. If the application has counted it, its key, the name of its limiter or its --prefix is another`
}

/** The same after a change: it may concern no client. */
export function nothingWasCounted(key: string): string {
  return nothingCounted(key).replace(' is counted', ' was counted')
}

/** With the bits of `byIp({ ipv6 })`, from 1 to 128. */
const addressKey = /^(?:ip:)?([^/]+)(?:\/([1-9]\d?|1[01]\d|12[0-8]))?$/

/** Formats a blocked key as one line. The key is at the end, because it may contain spaces. */
export function blockedLine({ limiter, key, policies }: KeyState, style: Style): string {
  const blocked = policies.filter(({ blockedMs }) => blockedMs > 0)
  const longest = Math.max(...blocked.map(({ blockedMs }) => blockedMs))
  const names = new Set(blocked.map(({ name }) => visible(name)))
  const words = [durationText(longest).padEnd(8), visible(limiter), [...names].join(',')]
  return `${words.join('  ')}  ${style.strong(shownKey(key))}`
}
