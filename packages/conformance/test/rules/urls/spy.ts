import type { RequestView, Rules } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { requestRules, type LimitCheck, type RuleMatch } from '@sluice/rules/internal'
import { loadRules, staticSource, type LoadedRules, type RulesDocument } from '@sluice/rules'

/** The judgement of one document. */
export interface Judged {
  /** Whether no rule limits or refuses the request. */
  readonly isFree: boolean
  /** The keys of the rules that apply. */
  readonly keys: ReadonlyMap<string, unknown>
  /** Whether the request is refused because it is ambiguous, which avoids no rule. */
  readonly isRefused: boolean
}

/** Rules that judge requests by several documents, note the judgements, and let every request pass. */
export class Spy implements Rules<unknown> {
  readonly name = 'spy'
  readonly decide = requestRules<unknown>('spy', (request, view) => this.judge(request, view))
    .decide
  readonly #documents: ReadonlyMap<string, LoadedRules<unknown>>
  /** The documents that judge the next request. */
  documents: readonly string[] = []
  /** The judgements of the last request. Undefined if the application did not ask for one. */
  judged: ReadonlyMap<string, Judged> | undefined

  private constructor(documents: ReadonlyMap<string, LoadedRules<unknown>>) {
    this.#documents = documents
  }

  static async of(documents: Readonly<Record<string, RulesDocument['rules']>>): Promise<Spy> {
    const loaded = new Map<string, LoadedRules<unknown>>()
    for (const [name, rules] of Object.entries(documents)) {
      const source = staticSource({ version: 1, name: 'spied', rules })
      loaded.set(name, await loadRules({ source }))
    }
    return new Spy(loaded)
  }

  judge(request: unknown, view: RequestView<unknown>): RuleMatch {
    const judged = new Map<string, Judged>()
    for (const name of this.documents) {
      const rules = this.#documents.get(name)
      if (rules === undefined) throw new Error(`there is no document "${name}"`)
      judged.set(name, judgedBy(rules, request, view))
    }
    this.judged = judged
    return { type: 'pass', version: 'none', tags: [] }
  }
}

const refused: Judged = { isFree: false, keys: new Map(), isRefused: true }

function judgedBy(
  rules: LoadedRules<unknown>,
  request: unknown,
  view: RequestView<unknown>,
): Judged {
  try {
    const judgement = rules.judge(request, view)
    if (isPromise(judgement)) throw new Error('no value is a promise')
    const calls = judgement.type === 'ask' ? judgement.enforced : []
    const keys = new Map(calls.flatMap(keysOf))
    return { isFree: judgement.type === 'pass', keys, isRefused: false }
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'status') === 400) return refused
    throw error
  }
}

/** The keys of a call by the ids of its rules. */
function keysOf({ keys, rules }: LimitCheck): readonly (readonly [string, unknown])[] {
  const isRecord = typeof keys === 'object' && !Array.isArray(keys)
  return [...rules].map(([count, { rule }]) => [rule, isRecord ? Reflect.get(keys, count) : keys])
}
