import { expect, test } from 'vitest'
import { countOf } from '../../../src/http/guard/counting.js'

test.each([
  [undefined, { when: 'all', reserve: true }],
  ['failures', { when: 'failures', reserve: true }],
  [{ when: 'failures' }, { when: 'failures', reserve: true }],
  [
    { when: 'failures', reserve: undefined },
    { when: 'failures', reserve: true },
  ],
  [
    { when: 'failures', reserve: false },
    { when: 'failures', reserve: false },
  ],
] as const)('count: %j is read as %j', (option, counting) => {
  expect(countOf(option as Parameters<typeof countOf>[0])).toEqual(counting)
})
