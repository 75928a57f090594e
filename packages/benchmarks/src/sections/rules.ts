import { conditionsOf, sentenceOf, type Conditions } from '../conditions.js'
import { spread, table } from '../markdown.js'
import { bytesOfEntries } from '../rules/list-memory.js'
import { tryAll, type RulesFigures, type Settings } from '../rules/trial.js'
import type { Section } from '../section.js'

const long: Settings = { sizes: [10, 100, 1000, 10_000], rounds: 20, judgements: 50_000 }
const brief: Settings = { sizes: [10, 100], rounds: 2, judgements: 5000 }

/** The cost of a judgement by rules, by the number of rules. */
export const rules: Section = {
  name: 'rules',
  minutes: 1,
  async run(say, quick) {
    const conditions = await conditionsOf()
    const figures = await tryAll(quick ? brief : long, say)
    say('lists')
    const listBytes = await bytesOfEntries()
    return {
      results: { conditions, figures, listBytes },
      table: tableOf(conditions, figures, listBytes),
    }
  },
}

function tableOf(
  conditions: Conditions,
  figures: readonly RulesFigures[],
  listBytes: Readonly<Record<string, number>>,
): string {
  const rows = figures.map(({ rules, fields, judgement, slowest, parseMs, compileMs }) => [
    rules.toLocaleString('en'),
    fields,
    spread(judgement),
    slowest.toFixed(1),
    parseMs.toFixed(0),
    compileMs.toFixed(0),
  ])
  const columns = [
    'rules',
    'fields of each',
    'judgement, µs',
    '99 of 100, µs',
    'read, ms',
    'compile, ms',
  ]
  const lists = Object.entries(listBytes).map(
    ([kind, bytes]) => `${bytes.toFixed(0)} bytes for an entry of a list of ${kind}`,
  )
  return `${table(columns, rows, 2)}\n\n${lists.join(', ')}. ${sentenceOf(conditions)}`
}
