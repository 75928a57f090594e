import { startContender } from '../processes/contender-process.js'
import { spreadOf } from '../rounds.js'

const programs = new URL('../../dist/', import.meta.url)
const keys = 100_000

/** The bytes that a decision in memory allocates, and the bytes of a key there. */
export async function bytesInMemory(contender: string): Promise<Readonly<Record<string, number>>> {
  return {
    'bytes of a key in memory': await read(
      'footprint/process.js',
      [contender, `${keys}`],
      5,
      'keep',
      'bytesPerKey',
    ),
    'bytes allocated for a decision': await read(
      'guard/allocations-process.js',
      [contender],
      5,
      '',
      'bytes',
    ),
  }
}

/** Runs each measurement in its own process, with a young generation that is large enough to need no collection. */
async function read(
  program: string,
  args: readonly string[],
  times: number,
  work: string,
  figure: string,
): Promise<number> {
  const node = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']
  const process = startContender(new URL(program, programs), { args, node })
  try {
    const found: number[] = []
    for (let i = 0; i < times; i++) found.push((await process.measure(work))[figure])
    return spreadOf(found).median
  } finally {
    await process.stop()
  }
}
