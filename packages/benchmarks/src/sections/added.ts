import { conditionsOf, sentenceOf } from '../conditions.js'
import { unlimited, yardstick } from '../http/contender.js'
import { frameworks } from '../http/contenders.js'
import { nameOf, ratio, spread, table } from '../markdown.js'
import { programOfBun } from '../processes/bun.js'
import { startContender, type ContenderProcess } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { compared, type Comparison } from '../ratios.js'
import { spreadOf, type Spread } from '../rounds.js'
import type { Section } from '../section.js'

const program = new URL('../added/process.js', import.meta.url)
const programOnBun = new URL('../added/bun-process.js', import.meta.url)

/** The CPU time that a limiter in memory adds to a request, without the network. */
export const added: Section = {
  name: 'added',
  minutes: 3,
  async run(say, quick) {
    const rounds = quick ? 2 : 9
    const turns = quick ? 4 : 15
    const found: Found[] = []
    for (const { name, start } of subjects()) {
      const readings = await measure(start(), rounds, turns, (round) => say(`${name}, ${round}`))
      found.push(foundIn(name, readings))
    }
    const conditions = await conditionsOf()
    return {
      results: { conditions, rounds, turns, frameworks: found },
      ratios: found.map(comparisonOf),
      table: [
        `${sentenceOf(conditions)} ${rounds} rounds of ${turns} turns of 500 requests each: the median, and the lowest and highest.`,
        '',
        table(
          ['', '', 'µs of a request', 'µs added', '÷ the peer'],
          found.flatMap(({ framework, rows }) =>
            rows.map(({ name, whole, added, toPeer }) => [
              framework,
              nameOf(name),
              ratio(whole.median),
              name === unlimited ? '' : spread(added),
              name === unlimited ? '' : ratio(toPeer),
            ]),
          ),
          2,
        ),
      ].join('\n'),
    }
  },
}

interface Found {
  readonly framework: string
  readonly peer: string
  readonly rows: readonly Row[]
}

interface Row {
  readonly name: string
  /** The time of a request. */
  readonly whole: Spread
  /** The time that the limiter adds to it. */
  readonly added: Spread
  /** ÷ the time that the framework's own limiter adds: of the medians, because a single round may have found no difference. */
  readonly toPeer: number
}

/** The frameworks on Node, and Hono on Bun if it is installed. */
function subjects(): readonly { readonly name: string; start(): ContenderProcess }[] {
  const onNode = Object.keys(frameworks).map((name) => ({
    name,
    start: () => startContender(program, { args: [name] }),
  }))
  const bun = programOfBun()
  if (bun === undefined) return onNode
  return [
    ...onNode,
    { name: 'Hono on Bun', start: () => startContender(programOnBun, { runtime: bun }) },
  ]
}

/** Measures all limiters of a framework in one process. */
async function measure(
  process: ContenderProcess,
  rounds: number,
  turns: number,
  say: (round: string) => void,
): Promise<readonly Reading[]> {
  try {
    say('warm-up')
    await process.measure('20')
    const readings: Reading[] = []
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds}`)
      readings.push(await process.measure(`${turns}`))
    }
    return readings
  } finally {
    await process.stop()
  }
}

function foundIn(framework: string, readings: readonly Reading[]): Found {
  const names = Object.keys(readings[0])
  const peer = names.find((name) => ![unlimited, yardstick, 'Sluice'].includes(name)) ?? ''
  const wholeOf = (name: string) => readings.map((reading) => reading[name])
  const addedBy = (name: string) => readings.map((reading) => reading[name] - reading[unlimited])
  return {
    framework,
    peer,
    rows: names.map((name) => ({
      name,
      whole: spreadOf(wholeOf(name)),
      added: spreadOf(addedBy(name)),
      toPeer: spreadOf(addedBy(name)).median / spreadOf(addedBy(peer)).median,
    })),
  }
}

function comparisonOf({ framework, peer, rows }: Found): Comparison {
  return compared(
    `server CPU that a limiter in memory adds to a request, ${framework} ÷ ${peer}`,
    'less',
    [[unlimited, 0], ...rows.filter(isLimiter).map(({ name, toPeer }) => [name, toPeer] as const)],
  )
}

function isLimiter({ name }: Row): boolean {
  return name !== unlimited && name !== yardstick
}
