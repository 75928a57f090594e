import { compileRules, parsedOf, parseRules, type RulesDocument } from '@sluice/rules'
import type { LogTraits } from '../log/detect.js'
import type { LogRecord } from '../log/record.js'
import type { NamedVariant, RulesVariant } from '../options.js'
import { tallyReport } from '../report/build.js'
import type { ComparedReport, VariantReport } from '../report/report.js'
import type { Sample } from '../sample.js'
import type { Timeline } from '../tally/timeline.js'
import { Comparison } from './comparison.js'
import type { Table } from './facts.js'
import { isEnabled, missingFields } from './needed-fields.js'
import { createRulesReplay, type RulesReplay } from './replay-rules.js'

type NamedRules = Extract<NamedVariant, RulesVariant>

/** The variants that are rules documents. */
export interface RulesSimulation {
  /** Compiles the rules for a log, and returns the function that replays its requests. Undefined if there are no rules. */
  begin(
    detected: LogTraits,
    choices: LogChoices,
  ): Promise<((record: LogRecord) => void) | undefined>
  reports(top: number): readonly (readonly [NamedVariant, VariantReport])[]
  compared(top: number): ComparedReport | undefined
  /** The requests that could not be judged, of the rules with the most of them. */
  unjudged(): number
  notes(): readonly string[]
}

/** The treatment of rules that need more than the log contains. */
interface LogChoices {
  readonly missing: 'error' | 'skip' | 'absent'
  readonly force: boolean
}

export interface RulesSimulationOptions {
  readonly sample: Sample
  readonly timeline: Timeline
  readonly table?: Table | undefined
  readonly baseline?: string | undefined
}

/** @throws RulesError if a document has mistakes */
export function createRulesSimulation(
  given: readonly NamedVariant[],
  { sample, timeline, table, baseline }: RulesSimulationOptions,
): RulesSimulation {
  const documents = given
    .filter((variant): variant is NamedRules => 'rules' in variant)
    .map((variant) => ({ variant, document: parseRules(variant.rules).document }))
  const replays: { variant: NamedRules; replay: RulesReplay }[] = []
  const notes: string[] = []
  let comparison: Comparison | undefined

  const nameOf = ({ name }: NamedRules, replay: RulesReplay): string => name ?? replay.set.name

  async function begin(
    detected: LogTraits,
    { missing, force }: LogChoices,
  ): Promise<((record: LogRecord) => void) | undefined> {
    if (documents.length === 0) return undefined
    for (const { variant, document } of documents) {
      const kept = withFields(variant.name ?? document.name, document, detected, missing)
      const parsed = parsedOf(kept, variant.rules.files)
      replays.push({
        variant,
        replay: createRulesReplay(await compileRules(parsed), {
          sample,
          table,
          timeline,
          precision: { ...detected, force },
        }),
      })
    }
    const [old, other] = comparedPair()
    if (old === undefined || other === undefined) return push
    comparison = new Comparison(old.replay, other.replay)
    const compared = comparison
    const rest = replays.filter((one) => one !== old && one !== other)
    return (record) => {
      compared.push(record)
      for (const { replay } of rest) replay.push(record)
    }
  }

  function push(record: LogRecord): void {
    for (const { replay } of replays) replay.push(record)
  }

  function comparedPair(): readonly ((typeof replays)[number] | undefined)[] {
    if (baseline === undefined) return []
    const old = replays.find(({ variant }) => variant.name === baseline)
    if (old === undefined) throw new Error(`baseline: no variant of rules has the name ${baseline}`)
    return [old, replays.find((one) => one !== old)]
  }

  /** The document without the rules whose fields the log does not have. */
  function withFields(
    name: string,
    document: RulesDocument,
    detected: LogTraits,
    missing: 'error' | 'skip' | 'absent',
  ): RulesDocument {
    const [first, ...others] = missingFields(document, detected, table)
    if (first === undefined || missing === 'absent') return document
    if (missing === 'error') {
      const remedies = [
        ...(Object.hasOwn(document.values ?? {}, first.field)
          ? ['--table with a column of that name']
          : []),
        '--missing skip to leave out such rules',
        'or --missing absent to replay them without the field',
      ]
      throw new Error(
        `rule "${first.rule}" needs ${JSON.stringify(first.field)}, and the log does not have it. ` +
          `Pass ${remedies.join(', ')}.`,
      )
    }
    const skipped = new Set([first, ...others].map(({ rule }) => rule))
    const rules = document.rules.filter(({ id }) => !skipped.has(id))
    if (!rules.some(isEnabled)) {
      throw new Error(
        `--missing skip leaves no rule of "${document.name}", because the log lacks fields of all of them. The first is ${JSON.stringify(first.field)} of rule "${first.rule}".`,
      )
    }
    notes.push(
      `${name}: the log lacks fields of these rules, which were left out: ${[...skipped].join(', ')}.`,
    )
    const { tests: _tests, ...rest } = document
    return { ...rest, rules }
  }

  return {
    begin,
    reports: (top) =>
      replays.map(({ variant, replay }) => [
        variant,
        rulesReport(nameOf(variant, replay), replay, top),
      ]),
    compared(top) {
      const [old, other] = comparedPair()
      if (comparison === undefined || old === undefined || other === undefined) return undefined
      const names = {
        baseline: nameOf(old.variant, old.replay),
        variant: nameOf(other.variant, other.replay),
      }
      return comparison.report(names, top)
    },
    unjudged: () => Math.max(0, ...replays.map(({ replay }) => replay.errors.count)),
    notes: () => [
      ...notes,
      ...replays.flatMap(({ variant, replay }) => {
        const { errors, delayed } = replay
        const name = nameOf(variant, replay)
        const own: string[] = []
        if (delayed() > 0) {
          own.push(
            `${name}: ${delayed()} of the denied requests exceeded a rule with "over: delay". The limiter delays such requests, and denies them only if the delay is too short.`,
          )
        }
        if (errors.count > 0) {
          own.push(
            `${name}: ${errors.count} requests could not be judged and were not limited; the first error: ${errors.first}`,
          )
        }
        return own
      }),
    ],
  }
}

/** The numbers of one rules document. */
function rulesReport(name: string, { set, keys, tally }: RulesReplay, top: number): VariantReport {
  const rules = [...set.stats].map(([id, { asked, denied, refused, shadowDenied }]) => ({
    id,
    asked: asked + refused,
    denied: denied + refused,
    shadowDenied,
  }))
  return { name, policies: set.document, unkeyed: 0, rules, ...tallyReport(tally, keys, top) }
}
