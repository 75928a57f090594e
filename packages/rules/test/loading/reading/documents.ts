import { RulesError, type RuleSet, type RulesText } from '../../../src/index.js'

export const head = 'version: 1\nname: api'
export const rule = '{ id: a, limit: 1, window: 1m }'

function rulesWithoutEffect(length: number): string {
  return Array.from({ length }, (_, i) => `  - { id: filling-${i}, then: { tag: t } }`).join('\n')
}

/** Some rules, and a comment that makes the document large: it is read faster than as many rules. */
export const filling = `${rulesWithoutEffect(20)}\n  # ${'x'.repeat(20_000)}`

export function textOf(text: string, files: Readonly<Record<string, string>> = {}): RulesText {
  return { text, format: 'yaml', files: new Map(Object.entries(files)) }
}

/** The parts of a rule set that every copy of the package has. */
type Judged = Pick<RuleSet, 'name' | 'version' | 'document' | 'warnings'>

/** The observable result of a document: the rule set, or its mistakes. */
export async function resultOf(work: () => Promise<Judged>): Promise<unknown> {
  try {
    const { name, version, document, warnings } = await work()
    return { name, version, document, warnings }
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    const { code, message, findings } = error
    return { code, message, findings }
  }
}

/** Documents with and without mistakes, each large enough for a thread. */
export const documents: readonly (readonly [what: string, text: RulesText])[] = [
  ['a valid document', textOf(`${head}\nrules:\n${rulesWithoutEffect(500)}\n  - ${rule}`)],
  [
    'warnings within rules',
    textOf(
      `${head}\nrules:\n${filling}\n  - id: k\n    key: path\n    limit: 1\n    window: 1m\n  - id: m\n    when:\n      header.a: { matches: '^abc' }\n    limit: 1\n    window: 5`,
    ),
  ],
  [
    'a rule that is never reached',
    textOf(`${head}\nrules:\n${filling}\n  - { id: all, then: deny }\n  - ${rule}`),
  ],
  [
    'mistakes of shape and of meaning',
    textOf(
      `${head}\nrules:\n  - { id: a, limit: -1, window: 1m }\n${filling}\n  - id: b\n    when: { usr: x }\n    limit: 1\n    window: 1m\n  - { id: filling-1, lmit: 2 }`,
    ),
  ],
  ['a mistake in the head', textOf(`${head}\nzone: 7\nrules:\n  - { id: 5 }\n${filling}`)],
  ['a head and no rules', textOf(`${head}\nvalues: { u: strin }\n# ${'x'.repeat(20_000)}`)],
  ['no YAML', textOf(`${head}\nrules:\n${filling}\n  - { id: a`)],
  ['two documents', textOf(`${head}\nrules:\n${filling}\n---\na: 1`)],
  ['a repeated key', textOf(`${head}\nname: b\nrules:\n${filling}`)],
  [
    'an alias within what it repeats',
    textOf(`${head}\nrules:\n${filling}\n  - { id: a, then: { deny: { body: &b { x: *b } } } }`),
  ],
  [
    'a wrong entry of a list',
    textOf(
      `${head}\nlists:\n  l: { kind: address, entries: [10.0.0.0/8, 10.0.0.0/99] }\n  f: { kind: address, file: f.txt }\nrules:\n${filling}`,
      { 'f.txt': 'nowhere' },
    ),
  ],
  [
    'too many rules',
    textOf(
      `${head}\nrules:\n${Array.from({ length: 10_001 }, (_, i) => `- { id: r${i}, then: deny }`).join('\n')}`,
    ),
  ],
  [
    'JSON',
    {
      text: JSON.stringify({ version: 1, name: 'api', note: 'x'.repeat(20_000), rules: [] }),
      format: 'json',
      files: new Map(),
    },
  ],
]
