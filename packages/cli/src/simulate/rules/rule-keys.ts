import type { RuleDecision, RuleMatch } from '@sluice/rules'
import type { LogRecord } from '../log/record.js'

/** The keys by which rules limit a request, each after the id of its rule: `login 203.0.113.9`. */
export function keysOf(judgement: RuleMatch): readonly string[] {
  if (judgement.type !== 'ask') return []
  const texts: string[] = []
  for (const { keys, rules } of judgement.enforced) {
    for (const [name, { rule }] of rules) texts.push(textOf(rule, keys, name))
  }
  return texts
}

/** The key of the rule that denies. A rule that refuses has no key, so the address of the client is used. */
export function deniedKey(judgement: RuleMatch, decision: RuleDecision, record: LogRecord): string {
  const id = decision.rule ?? ''
  if (judgement.type === 'ask') {
    for (const { keys, rules } of judgement.enforced) {
      for (const [name, { rule }] of rules) if (rule === id) return textOf(rule, keys, name)
    }
  }
  return `${id} ${sampledKey(record)}`
}

/** Rules have several keys, so a sample is chosen by the address of the client. */
export function sampledKey({ address }: LogRecord): string {
  return address?.client ?? ''
}

function textOf(rule: string, keys: unknown, name: string): string {
  const key: unknown = isRecord(keys) && Object.hasOwn(keys, name) ? keys[name] : keys
  if (Array.isArray(key)) return `${rule} ${partsOf(key).join(' ')}`
  return `${rule} ${plain(key)}`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function partsOf(parts: readonly unknown[]): readonly string[] {
  return parts.map((part) => plain(part))
}

/** Shows `ip:203.0.113.9` as the address. */
function plain(part: unknown): string {
  const text = typeof part === 'string' ? part : typeof part === 'number' ? `${part}` : ''
  return text.startsWith('ip:') ? text.slice('ip:'.length) : text
}
