import { startContender } from '../processes/contender-process.js'

const program = new URL('../../dist/rules/list-process.js', import.meta.url)

/** The bytes of an entry of a list with 100,000 entries, by the kind of the list. */
export async function bytesOfEntries(): Promise<Readonly<Record<string, number>>> {
  const bytes: Record<string, number> = {}
  for (const [words, kind] of [
    ['addresses', 'address'],
    ['texts', 'text'],
  ]) {
    const process = startContender(program, { args: [kind], node: ['--expose-gc'] })
    try {
      bytes[words] = (await process.measure(''))['bytesPerEntry']
    } finally {
      await process.stop()
    }
  }
  return bytes
}
