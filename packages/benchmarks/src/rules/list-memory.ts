import { inTurns } from '../processes/in-turns.js'

const program = new URL('../../dist/rules/list-process.js', import.meta.url)

/** The bytes of an entry of a list with 100,000 entries, by the kind of the list. */
export async function bytesOfEntries(): Promise<Readonly<Record<'addresses' | 'texts', number>>> {
  const node = ['--expose-gc']
  const entrants = ['address', 'text'].map((kind) => ({ name: kind, program, args: [kind], node }))
  const [[addresses], [texts]] = (
    await inTurns(entrants, { rounds: 1, isFresh: true, say: () => {} })
  ).values()
  return { addresses: addresses['bytesPerEntry'], texts: texts['bytesPerEntry'] }
}
