import { jsonOf } from '../../compile/parse.js'
import type { RulesDocument } from '../../document/document.js'
import { contentOf, type RuleSource } from './rule-source.js'

/**
 * A document that does not change: a text in YAML or JSON, or an object such as the result of `defineRules`.
 *
 * @example
 * const rules = await loadRules({
 *   source: staticSource({ version: 1, name: 'api', rules: [{ id: 'all', limit: 100, window: '1m' }] }),
 * })
 */
export function staticSource(document: RulesDocument | string): RuleSource {
  const content = contentOf({ ...textOf(document), files: new Map() })
  return {
    location: 'staticSource',
    every: 0,
    read: async (since) => (since === content.version ? undefined : content),
  }
}

/** The text of a document, and its format. */
export function textOf(document: RulesDocument | string): {
  readonly text: string
  readonly format: 'yaml' | 'json'
} {
  return typeof document === 'string'
    ? { text: document, format: 'yaml' }
    : { text: jsonOf(document), format: 'json' }
}
