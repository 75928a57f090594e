import { expect, test } from 'vitest'
import { skipIf } from '../src/skip.js'

const missing = 'bun does not run here'
const allowed = { Deno: 'it has no program for this processor' }

test.each([true, false])('a platform that is there is tested (in CI: %s)', (isCi) => {
  expect(skipIf('Bun', undefined, 'Bun serves', allowed, isCi)).toEqual({
    isSkipped: false,
    title: 'Bun serves',
  })
})

test('a missing platform is skipped with the reason', () => {
  expect(skipIf('Bun', missing, 'Bun serves', allowed, false)).toEqual({
    isSkipped: true,
    title: 'Bun serves (skipped: bun does not run here)',
  })
})

test('in CI, a missing platform is an error', () => {
  expect(() => skipIf('Bun', missing, 'Bun serves', allowed, true)).toThrow(
    'CI must not skip the tests of Bun: bun does not run here',
  )
})

test('in CI, a missing platform of the list is skipped with the reason of the list', () => {
  expect(skipIf('Deno', missing, 'Deno serves', allowed, true)).toEqual({
    isSkipped: true,
    title: 'Deno serves (skipped: it has no program for this processor)',
  })
})
