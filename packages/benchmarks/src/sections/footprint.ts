import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupToFirst, joined, mediansOf } from '../figures.js'
import { groupTable, medianCell, ratio, type Cell } from '../markdown.js'
import { contenders } from '../memory/contenders.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import { compared } from '../ratios.js'
import type { Section } from '../section.js'

const program = new URL('../footprint/process.js', import.meta.url)

/** The memory of a million keys, and the delays of the event loop while they expire. */
export const footprint: Section = {
  name: 'footprint',
  minutes: 4,
  async measure(say, quick) {
    const keys = quick ? 100_000 : 1_000_000
    const rounds = quick ? 1 : 2
    const entrants = contenders.map(({ name }): Entrant => {
      return { name, program, args: [name, `${keys}`], node: ['--expose-gc'] }
    })
    // In a new process each time, because a heap that has been large once behaves differently.
    const measured = async (work: string, rounds: number) =>
      inTurns(entrants, {
        rounds,
        isFresh: true,
        say: (progress) => say(`${work}, ${progress}`),
        measure: async (process) => process.measure(work),
      })
    const kept = groupToFirst(await measured('keep', 1))
    const expired = groupToFirst(await measured('expire', rounds), ['p99Ms'])
    return {
      conditions: await conditionsOf(),
      amounts: { keys, rounds },
      groups: { kept, expired },
    }
  },
  page({ conditions, amounts: { keys, rounds }, groups }) {
    const whole = (bytes: number) => bytes.toFixed(0)
    return [
      `${sentenceOf(conditions)} ${keys.toLocaleString('en')} keys, ${rounds} rounds of expiry, medians.`,
      groupTable(
        [
          ['bytes per key', medianCell('kept bytesPerKey', whole)],
          ['÷ bare `Map`', medianCell('kept bytesPerKey ÷')],
          ['after expiry', medianCell('expired bytesPerKeyAfterwards', whole)],
          ['delay p99, ms more', millisecondsCell('0', 'p99Ms', '−')],
          ['longest delay ÷ bare `Map`', millisecondsCell('1.00', 'maxMs', '÷')],
        ],
        joined(groups),
      ),
    ]
  },
  ratios({ groups: { kept, expired } }) {
    const [yardstick] = Object.keys(kept)
    // A library that never removes expired keys does no work in that time, so it is not compared.
    const removes = (name: string) =>
      expired[name]['bytesPerKeyAfterwards'].median < kept[name]['bytesPerKey'].median / 2
    return [
      compared(
        'memory per key, a million keys ÷ bare `Map`',
        'less',
        mediansOf(kept, 'bytesPerKey ÷'),
      ),
      compared(
        'longest delay of the event loop while a million keys expire ÷ bare `Map`',
        'less',
        mediansOf(expired, 'maxMs ÷').filter(([name]) => name === yardstick || removes(name)),
      ),
    ]
  },
}

/** For the yardstick its own figure, to which the multiple or the difference refers. */
function millisecondsCell(unit: string, figure: string, comparison: '÷' | '−'): Cell {
  const own = medianCell(`expired ${figure}`, (ms) => `${unit} = ${ratio(ms)} ms`)
  const other = medianCell(`expired ${figure} ${comparison}`)
  return (figures, isFirst) => (isFirst ? own : other)(figures, isFirst)
}
