import { expect, test } from 'vitest'
import { checkRules } from '../../src/check/index.js'

test.each([
  ['{\n  "version": 1,\n}', 3, 1],
  ['{\n  "version": 1\n  "name": "a" }', 3, 3],
  ["{\n  'version': 1 }", 2, 3],
  ['{\n  "version": 1\n', 3, 1],
  ['{ "version": 1 }\n]', 2, 1],
])('the position of the mistake in %j', async (text, line, column) => {
  const { findings } = await checkRules({ text, format: 'json', files: new Map() })
  expect(findings).toMatchObject([{ line, column, code: 'SLUICE_RULES_SYNTAX' }])
})
