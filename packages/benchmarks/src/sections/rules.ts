import { conditionsOf, sentenceOf } from '../conditions.js'
import type { Groups } from '../figures.js'
import { groupsTable, medianCell, spreadCell } from '../markdown.js'
import { bytesOfEntries } from '../rules/list-memory.js'
import { tryAll, type Settings } from '../rules/trial.js'
import type { Section } from '../section.js'

const long: Settings = { sizes: [10, 100, 1000, 10_000], rounds: 20, judgements: 50_000 }
const brief: Settings = { sizes: [10, 100], rounds: 2, judgements: 5000 }

/** The cost of a judgement by rules, by the number of rules. */
export const rules: Section = {
  name: 'rules',
  minutes: 1,
  async measure(say, quick) {
    const sizes = await tryAll(quick ? brief : long, say)
    say('lists')
    const { addresses, texts } = await bytesOfEntries()
    return { conditions: await conditionsOf(), amounts: { addresses, texts }, groups: sizes }
  },
  page({ conditions, amounts: { addresses, texts }, groups }) {
    const whole = (value: number) => value.toFixed(0)
    const sizes = Object.entries(groups).map(([size, group]) => {
      return [Number(size).toLocaleString('en'), group] as const
    })
    return [
      groupsTable(
        [
          ['judgement, µs', spreadCell('judgement')],
          ['99 of 100, µs', medianCell('slowest', (time) => time.toFixed(1))],
          ['read, ms', medianCell('parseMs', whole)],
          ['compile, ms', medianCell('compileMs', whole)],
        ],
        Object.fromEntries(sizes) satisfies Groups,
        ['rules', 'fields of each'],
      ),
      `${whole(addresses)} bytes for an entry of a list of addresses, ${whole(texts)} bytes for an entry of a list of texts. ${sentenceOf(conditions)}`,
    ]
  },
}
