import { conditionsOf, sentenceOf } from '../conditions.js'
import { nameOf, ratio, table } from '../markdown.js'
import { contenders } from '../memory/contenders.js'
import type { Contender } from '../memory/contender.js'
import { bareMap } from '../memory/yardstick.js'
import { startContender } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { compared } from '../ratios.js'
import { inRounds, ratiosOf, spreadOf } from '../rounds.js'
import type { Section } from '../section.js'

const program = new URL('../footprint/process.js', import.meta.url)

/** The memory of a million keys, and the delays of the event loop while they expire. */
export const footprint: Section = {
  name: 'footprint',
  minutes: 4,
  async run(say, quick) {
    const keys = quick ? 100_000 : 1_000_000
    const rounds = quick ? 1 : 2
    const kept = new Map<Contender, Reading>()
    for (const contender of contenders) {
      say(`filling ${contender.name}`)
      kept.set(contender, await measured(contender, keys, 'keep'))
    }
    const found = await inRounds(contenders, rounds, async (contender, round) => {
      say(`expiry, round ${round + 1} of ${rounds}: ${contender.name}`)
      return measured(contender, keys, 'expire')
    })
    const floor = found.get(bareMap) ?? []
    const rows = contenders.map((contender) =>
      rowOf(
        contender.name,
        kept.get(contender)?.['bytesPerKey'] ?? 0,
        found.get(contender) ?? [],
        floor,
      ),
    )
    const least = rows[contenders.indexOf(bareMap)]
    const conditions = await conditionsOf()
    return {
      results: { conditions, keys, rounds, contenders: rows },
      ratios: [
        compared(
          'memory per key, a million keys ÷ bare `Map`',
          'less',
          rows.map(({ name, bytesPerKey }) => [name, bytesPerKey / least.bytesPerKey]),
        ),
        compared(
          'longest delay of the event loop while a million keys expire ÷ bare `Map`',
          'less',
          // A library that never removes expired keys does no work in that time, so it is not compared.
          rows
            .filter(
              (row) => row === least || row.bytesPerKeyAfterwards.median < row.bytesPerKey / 2,
            )
            .map(({ name, maxRatio }) => [name, maxRatio.median]),
        ),
      ],
      table: [
        `${sentenceOf(conditions)} ${keys.toLocaleString('en')} keys, ${rounds} rounds of expiry, medians.`,
        '',
        table(
          [
            '',
            'bytes per key',
            '÷ bare `Map`',
            'after expiry',
            'delay p99, ms more',
            'longest delay ÷ bare `Map`',
          ],
          rows.map((row) => [
            nameOf(row.name),
            row.bytesPerKey.toFixed(0),
            ratio(row.bytesPerKey / least.bytesPerKey),
            row.bytesPerKeyAfterwards.median.toFixed(0),
            row === least ? `0 = ${ratio(row.p99Ms.median)} ms` : ratio(row.p99MsMore.median),
            row === least ? `1.00 = ${ratio(row.maxMs.median)} ms` : ratio(row.maxRatio.median),
          ]),
        ),
      ].join('\n'),
    }
  },
}

/** Measures in a new process each time, because a heap that has been large once behaves differently. */
async function measured(contender: Contender, keys: number, work: string): Promise<Reading> {
  const args = [contender.name, `${keys}`]
  const process = startContender(program, { args, node: ['--expose-gc'] })
  try {
    return await process.measure(work)
  } finally {
    await process.stop()
  }
}

function rowOf(
  name: string,
  bytesPerKey: number,
  own: readonly Reading[],
  floor: readonly Reading[],
) {
  const p99Ms = own.map((reading) => reading['p99Ms'])
  const maxMs = own.map((reading) => reading['maxMs'])
  return {
    name,
    bytesPerKey,
    bytesPerKeyAfterwards: spreadOf(own.map((reading) => reading['bytesPerKeyAfterwards'])),
    p99Ms: spreadOf(p99Ms),
    maxMs: spreadOf(maxMs),
    p99MsMore: spreadOf(p99Ms.map((ms, round) => ms - floor[round]['p99Ms'])),
    maxRatio: ratiosOf(
      maxMs,
      floor.map((reading) => reading['maxMs']),
    ),
  }
}
