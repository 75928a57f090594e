import { expect, test } from 'vitest'
import { startContender } from '../src/processes/contender-process.js'
import { bytesOfEntries } from '../src/rules/list-memory.js'
import { spreadOf } from '../src/rounds.js'

const program = new URL('../dist/rules/allocations-process.js', import.meta.url)
const node = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

test.each(['path', 'action'])(
  'a judgement by %s among 5,000 rules allocates about as much as one among ten',
  { timeout: 240_000 },
  async (fields) => {
    const [few, many] = [await bytesOfJudgement(fields, 10), await bytesOfJudgement(fields, 5000)]
    expect({ few, many, isNoMore: many <= 1.25 * few }).toEqual({ few, many, isNoMore: true })
  },
)

async function bytesOfJudgement(fields: string, size: number): Promise<number> {
  const process = startContender(program, { args: [fields, `${size}`], node })
  try {
    const found: number[] = []
    for (let i = 0; i < 5; i++) found.push((await process.measure(''))['bytes'])
    return spreadOf(found).median
  } finally {
    await process.stop()
  }
}

test('an entry of a list of 100,000 takes at most 300 bytes, 30 MB for all', async () => {
  const bytes = await bytesOfEntries()
  const over = Object.entries(bytes).filter(([, each]) => !(each <= 300))
  expect(Object.keys(bytes)).toEqual(['addresses', 'texts'])
  expect(over).toEqual([])
})
