import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupWithout, mediansOf, variantOf } from '../figures.js'
import { groupTable, multipleCell, spreadCell, type Column } from '../markdown.js'
import { contenders } from '../memory/contenders.js'
import { ours } from '../memory/sluice.js'
import { variants, type Variant } from '../memory/variants.js'
import { bareMap } from '../memory/yardstick.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import { compared } from '../ratios.js'
import type { Section } from '../section.js'

const program = new URL('../memory/process.js', import.meta.url)

const ways = ['called', 'awaited'] as const

/** The readings are times. All but those of new keys are published as speeds. */
const traffics = [
  { name: 'zipf', column: '100,000 keys', work: 'decisions in memory, 100,000 keys' },
  { name: 'hot', column: 'one key', work: 'decisions in memory, one key' },
  { name: 'denied', column: 'one key, denied', work: 'denials in memory, one key' },
  { name: 'insert', column: 'new keys', work: 'time of a new key in memory', isTime: true },
]

/** The CPU time of a decision in memory, compared with the least work that counting takes. */
export const memory: Section = {
  name: 'memory',
  minutes: 4,
  async measure(say, quick) {
    const rounds = quick ? 3 : 41
    const readings = await inTurns(variants.flatMap(entrantsOf), { rounds, say })
    return {
      conditions: await conditionsOf(),
      amounts: { rounds },
      groups: {
        'one policy': groupWithout(readings, ['three policies']),
        'three policies': variantOf(readings, 'three policies'),
      },
    }
  },
  page({ conditions, amounts: { rounds }, groups }) {
    const { 'one policy': one, 'three policies': three } = groups
    return [
      `${sentenceOf(conditions)} ${rounds} rounds: the median, and the lowest and highest.`,
      'Decisions per unit of CPU time ÷ those of a bare `Map`: more is better. The column of new keys is the time ÷ that of the `Map`: less is better.',
      'Called in a loop without `await`, if the library answers without a promise. _After mixed use_: the process has used all algorithms, leases, blocks, denials, refunds and limiters of several policies before. _With a subscriber_: a function counts the events of all decisions.',
      groupTable(speedColumns('called'), one),
      'Called in a loop, and each answer awaited:',
      groupTable(speedColumns('awaited'), one),
      'Three policies in one limiter: time ÷ that of one policy, less is better:',
      groupTable(threeColumns, three),
    ]
  },
  ratios({ groups: { 'one policy': one, 'three policies': three } }) {
    const hot = speedsOf(mediansOf(one, 'hot called ÷'))
    const observed = ', with a subscriber'
    return [
      ...ways.flatMap((way) =>
        traffics.map(({ name, work, isTime }) => {
          const times = mediansOf(one, `${name} ${way} ÷`)
          const title = `${work}, ${way} ÷ bare \`Map\``
          return compared(title, isTime ? 'less' : 'more', isTime ? times : speedsOf(times))
        }),
      ),
      // The other libraries publish no events, so they are compared as they are.
      compared(
        'decisions in memory, one key, called, with a subscriber ÷ bare `Map`',
        'more',
        hot
          .filter(([name]) => !name.startsWith('Sluice') || name.endsWith(observed))
          .map(([name, speed]) => [name.replace(observed, ''), speed]),
      ),
      compared('time of a decision in memory, three policies ÷ one', 'less', [
        [bareMap.name, 1],
        ...Object.entries(three).map(([name, figures]) => {
          const way = 'zipf called ÷' in figures ? 'called' : 'awaited'
          return [name, figures[`zipf ${way} ÷`].median] as const
        }),
      ]),
    ]
  },
}

function entrantsOf(variant: Variant): readonly Entrant[] {
  const own = {
    alone: contenders,
    'after mixed use': ours,
    'with a subscriber': ours,
    'three policies': contenders.filter(({ openThree }) => openThree !== undefined),
  }
  return own[variant].map(({ name }) => ({
    name: variant === 'alone' ? name : `${name}, ${variant}`,
    program,
    args: [name, variant],
    node: ['--expose-gc'],
  }))
}

function speedColumns(way: string): readonly Column[] {
  return traffics.map(({ name, column, isTime }) => [
    column,
    multipleCell(`${name} ${way}`, (ns) => `${ns.toFixed(0)} ns`, !isTime),
  ])
}

/** By the way in which a library answers: without a promise if it can. */
const threeColumns: readonly Column[] = traffics.slice(0, 2).map(({ name, column }) => [
  column,
  (figures, isFirst) => {
    const called = spreadCell(`${name} called ÷`)(figures, isFirst)
    return called === '' ? spreadCell(`${name} awaited ÷`)(figures, isFirst) : called
  },
])

function speedsOf(times: readonly (readonly [string, number])[]): readonly [string, number][] {
  return times.map(([name, time]) => [name, 1 / time])
}
