import { expect, test } from 'vitest'
import { RulesError } from '../../src/index.js'
import { valueFromText } from '../../src/check/index.js'

const document = {
  values: {
    user: 'string?',
    size: 'integer',
    score: 'number',
    isNew: 'boolean?',
    plan: ['free', 'pro'],
    level: [1, 2],
    kind: { oneOf: ['a', 1], optional: true },
  },
} as const

test.each([
  ['user', 'true', 'true'],
  ['user', ' 1', ' 1'],
  ['user', '', undefined],
  ['size', '-3', -3],
  ['size', '1e3', 1000],
  ['score', '.5', 0.5],
  ['isNew', 'true', true],
  ['isNew', 'false', false],
  ['plan', 'pro', 'pro'],
  ['level', '2', 2],
  ['kind', '1', 1],
  ['kind', 'a', 'a'],
])('%s from %j is %j', (name, text, value) => {
  expect(valueFromText(document, name, text)).toBe(value)
})

test.each([
  ['size', '1.5', 'a whole number below 2^53'],
  ['size', '9007199254740992', 'a whole number below 2^53'],
  ['size', '0x10', 'a whole number below 2^53'],
  ['score', ' ', 'a finite number'],
  ['score', 'Infinity', 'a finite number'],
  ['score', '1e999', 'a finite number'],
  ['isNew', '1', 'true or false'],
  ['plan', 'Pro', 'one of free, pro'],
  ['level', '02', 'one of 1, 2'],
])('%s from %j is refused', (name, text, expected) => {
  const call = (): unknown => valueFromText(document, name, text)
  expect(call).toThrow(RulesError)
  expect(call).toThrow(`the value "${name}" is ${JSON.stringify(text)}. It has to be ${expected}.`)
})

test('a value that the document does not declare is refused', () => {
  for (const name of ['usr', 'constructor', '__proto__']) {
    expect(() => valueFromText(document, name, 'x')).toThrow(
      expect.objectContaining({ code: 'SLUICE_RULES_FIELD_UNKNOWN' }),
    )
  }
})
