import {
  compileRules,
  parseRules,
  type CompileOptions,
  type Facts,
  type Finding,
  type RuleMatch,
  type RuleSet,
  RulesError,
} from '../src/index.js'

/** Compiles a document in YAML. */
export function compiled(
  text: string,
  {
    files = {},
    ...options
  }: CompileOptions & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<RuleSet> {
  return compileRules(
    parseRules({ text, format: 'yaml', files: new Map(Object.entries(files)) }),
    options,
  )
}

/** Compiles rules beneath values, lists and schedules that the tests share. */
export function compiledRules(
  rules: string,
  options?: Parameters<typeof compiled>[1],
): Promise<RuleSet> {
  return compiled(`${head}\nrules:\n${rules}`, options)
}

export const head = `version: 1
name: test
values: { user: string?, plan: [free, pro], level: integer?, score: number?, isNew: boolean?, points: integer? }
lists:
  nets: { kind: address, entries: [10.0.0.0/8, 2001:db8::/32] }
  words: { kind: text, entries: [bot, spider] }
schedules:
  night: { from: '00:30', to: '06:00', zone: UTC }`

/** The mistakes for which a document is refused. */
export async function findingsOf(
  text: string,
  options?: Parameters<typeof compiled>[1],
): Promise<readonly Finding[]> {
  try {
    await compiled(text, options)
  } catch (error) {
    if (error instanceof RulesError && error.findings !== undefined) return error.findings
    throw error
  }
  return []
}

export interface TestFacts {
  readonly method?: string
  readonly url?: string
  readonly route?: string
  readonly host?: string | readonly string[]
  readonly routedUrl?: string
  readonly semicolonEndsPath?: boolean
  readonly params?: Readonly<Record<string, unknown>>
  readonly ip?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string | readonly string[]>>
  readonly values?: Readonly<Record<string, unknown>>
}

export function factsOf({
  headers = {},
  cookies = {},
  values = {},
  ip = '203.0.113.9',
  ...facts
}: TestFacts): Facts {
  return {
    url: '/',
    method: 'GET',
    ip,
    ...facts,
    header: (name) => headers[name],
    cookie: (name) => cookies[name],
    value: (name) => ({ plan: 'free', ...values })[name],
  }
}

export const now: number = Date.UTC(2026, 9, 1, 12)

/** The judgement of a request that waits for nothing. */
export function judged(rules: RuleSet, facts: TestFacts, at: number = now): RuleMatch {
  const judgement = rules.judge(factsOf(facts), at)
  if ('then' in judgement) throw new Error('The judgement is a promise.')
  return judgement
}

/** The rules that are asked, in the order of the document. */
export function asked(rules: RuleSet, facts: TestFacts, at: number = now): readonly string[] {
  const judgement = judged(rules, facts, at)
  if (judgement.type !== 'ask') return [judgement.type]
  const { enforced, tagging, shadow } = judgement
  const ids = new Set(
    [...enforced, ...tagging, ...shadow].flatMap((call) =>
      [...call.rules.values()].map(({ rule }) => rule),
    ),
  )
  return rules.document.rules.map(({ id }) => id).filter((id) => ids.has(id))
}

/** The key of the only rule, of these members, for a request. */
export async function keysOf(rule: object, facts: Facts): Promise<unknown> {
  const declared = { id: 'r', limit: 1, window: '1m', ...rule }
  const rules = await compiledRules(`  - ${JSON.stringify(declared)}`)
  const judgement = await rules.judge(facts, 0)
  return judgement.type === 'ask' ? judgement.enforced[0]?.keys : judgement.type
}
