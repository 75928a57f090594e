import type { CompiledRule } from './rule.js'

/**
 * The public names of policies whose own names responses must not contain: `limit`, `limit-2` and so on, in the order of the document. A policy has the
 * same public name in all responses, so that a client can tell it from others.
 */
export function publicNames(rules: readonly CompiledRule[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  if (!rules.some(isHidden)) return names
  const taken = new Set<string>()
  for (const { action } of rules) if (action.type === 'limit') taken.add(action.count)
  let number = 0
  for (const rule of rules) {
    if (rule.action.type !== 'limit' || !isHidden(rule)) continue
    for (const policy of rule.action.variants.names) {
      if (names.has(policy)) continue
      let name: string
      do name = ++number === 1 ? 'limit' : `limit-${number}`
      while (taken.has(name))
      names.set(policy, name)
    }
  }
  return names
}

function isHidden({ declaration }: CompiledRule): boolean {
  return declaration.expose === false
}
