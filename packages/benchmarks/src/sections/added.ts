import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupToFirst, mediansOf, type Group } from '../figures.js'
import { unlimited, yardstick } from '../http/contender.js'
import { frameworks } from '../http/contenders.js'
import { groupsTable, medianCell, spreadCell, type Cell } from '../markdown.js'
import { programOfBun } from '../processes/bun.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import type { Reading } from '../processes/reading.js'
import { compared } from '../ratios.js'
import { spreadOf } from '../rounds.js'
import type { Section } from '../section.js'

const program = new URL('../added/process.js', import.meta.url)
const programOnBun = new URL('../added/bun-process.js', import.meta.url)

/** The CPU time that a limiter in memory adds to a request, without the network. */
export const added: Section = {
  name: 'added',
  minutes: 3,
  async measure(say, quick) {
    const rounds = quick ? 2 : 9
    const turns = quick ? 4 : 15
    const groups: Record<string, Group> = {}
    for (const entrant of entrants()) {
      // All limiters of a framework are in one process, and its readings have their names.
      const [readings = []] = (
        await inTurns([entrant], {
          rounds,
          warmUps: 2,
          say: (progress) => say(`${entrant.name}, ${progress}`),
          measure: async (process) => process.measure(`${turns}`),
        })
      ).values()
      const own = Object.keys(readings[0]).map((name): [string, readonly Reading[]] => [
        name,
        readings.map((reading) => ({ microseconds: reading[name] })),
      ])
      groups[entrant.name] = groupToFirst(new Map(own), ['microseconds'])
    }
    return { conditions: await conditionsOf(), amounts: { rounds, turns }, groups }
  },
  page({ conditions, amounts: { rounds, turns }, groups }) {
    const all = Object.entries(groups).map(([name, group]): [string, Group] => [
      name,
      withPeer(group),
    ])
    return [
      `${sentenceOf(conditions)} ${rounds} rounds of ${turns} turns of 500 requests each: the median, and the lowest and highest.`,
      groupsTable(
        [
          ['µs of a request', medianCell('microseconds')],
          ['µs added', unlessFirst(spreadCell('microseconds −'))],
          ['÷ the peer', unlessFirst(medianCell('to peer'))],
        ],
        Object.fromEntries(all),
      ),
    ]
  },
  ratios: ({ groups }) =>
    Object.entries(groups).map(([framework, group]) =>
      compared(
        `server CPU that a limiter in memory adds to a request, ${framework} ÷ ${peerOf(group)}`,
        'less',
        mediansOf(withPeer(group), 'to peer').filter(([name]) => name !== yardstick),
      ),
    ),
}

/** The frameworks on Node, and Hono on Bun if it is installed. */
function entrants(): readonly Entrant[] {
  const onNode = Object.keys(frameworks).map((name) => ({ name, program, args: [name] }))
  const bun = programOfBun()
  if (bun === undefined) return onNode
  return [...onNode, { name: 'Hono on Bun', program: programOnBun, runtime: bun }]
}

/** The framework's own limiter. */
function peerOf(group: Group): string {
  const isPeer = (name: string) =>
    !name.startsWith('Sluice') && name !== unlimited && name !== yardstick
  return Object.keys(group).find(isPeer) ?? ''
}

/** With the time that a limiter adds ÷ that of the peer: of the medians, because a single round may have found no difference. */
function withPeer(group: Group): Group {
  const addedBy = (name: string) => group[name]['microseconds −'].median
  return Object.fromEntries(
    Object.entries(group).map(([name, figures]) => {
      const toPeer = spreadOf([addedBy(name) / addedBy(peerOf(group))])
      return [name, { ...figures, 'to peer': toPeer }]
    }),
  )
}

function unlessFirst(cell: Cell): Cell {
  return (figures, isFirst) => (isFirst ? '' : cell(figures, isFirst))
}
