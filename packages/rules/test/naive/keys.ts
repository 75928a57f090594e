import { hash } from 'node:crypto'
import type { RuleDeclaration } from '../../src/document/document.js'
import { allValuesOf, type Look, type TrueRequest } from './request.js'

export function roleOf(rule: RuleDeclaration): string {
  if (rule.shadow === true) return 'shadow'
  return typeof rule.over === 'object' && 'tag' in rule.over ? 'tagging' : 'enforced'
}

export function costOf({ cost = 1 }: RuleDeclaration, { fields }: TrueRequest): number {
  return typeof cost === 'number' ? cost : Number(fields[cost.slice(1)])
}

/** Of a field of which the request has several values, so that it has no key. */
export const severalValues: unique symbol = Symbol('several values')

export function keyOf(
  { key = 'ip' }: RuleDeclaration,
  look: Look,
): string | typeof severalValues | undefined {
  const parts: (string | number)[] = []
  for (const part of [key].flat()) {
    const names = typeof part === 'string' ? [part] : part.first
    const name = names.find((one) => allValuesOf(one, look) !== undefined)
    if (name === undefined) return undefined
    const value = allValuesOf(name, look)
    // The router is unknown. A value is counted as a router reads it that cuts off `;parameters`.
    if (Array.isArray(value) && name === 'param.id') parts.push(name, value[0].split(';')[0])
    else if (Array.isArray(value)) return severalValues
    else if (name === 'ip') parts.push(`ip:${String(value)}`)
    else if (name.startsWith('cookie.'))
      parts.push(name, hash('sha256', String(value), 'base64url'))
    else parts.push(name, typeof value === 'number' ? value : String(value))
  }
  if (parts.length === 0) return '"all"'
  return JSON.stringify(parts.length === 1 ? parts[0] : parts)
}
