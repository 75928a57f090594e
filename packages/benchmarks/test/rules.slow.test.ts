import { expect, test } from 'vitest'
import { startContender } from '../src/processes/contender-process.js'
import { bytesOfEntries } from '../src/rules/list-memory.js'
import { spreadOf } from '../src/rounds.js'

const program = new URL('../dist/rules/allocations-process.js', import.meta.url)
const node = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

// Counts and not times, so they do not depend on the speed of the machine: 1,350 to 1,650 bytes, a regular expression of Node for the address among them. A judgement among 5,000 rules allocates as much as one among ten.
test.each([
  ['path', 10, 1800],
  ['path', 5000, 1800],
  ['action', 10, 1800],
  ['action', 5000, 1800],
])(
  'a judgement by %s among %i rules allocates at most %i bytes',
  { timeout: 120_000 },
  async (fields, size, most) => {
    const process = startContender(program, { args: [fields, `${size}`], node })
    try {
      const found: number[] = []
      for (let i = 0; i < 5; i++) found.push((await process.measure(''))['bytes'])
      const { median } = spreadOf(found)
      expect({ median, isFew: median <= most }).toEqual({ median, isFew: true })
    } finally {
      await process.stop()
    }
  },
)

test('an entry of a list of 100,000 takes at most 300 bytes, 30 MB for all', async () => {
  const bytes = await bytesOfEntries()
  const over = Object.entries(bytes).filter(([, each]) => !(each <= 300))
  expect(Object.keys(bytes)).toEqual(['addresses', 'texts'])
  expect(over).toEqual([])
})
