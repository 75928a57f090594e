import { expect, test } from 'vitest'
import { findingsOf, head } from '../../compiled.js'

/** A value of each operator that fits the fields that can have it. */
const operands = {
  in: '$words',
  prefix: 'a',
  suffix: 'a',
  contains: 'a',
  matches: "'a+'",
  from: '1',
  to: '9',
  above: '1',
  below: '9',
  present: 'true',
  not: '1',
} as const

type Operator = keyof typeof operands

const number: readonly Operator[] = ['in', 'from', 'to', 'above', 'below', 'present', 'not']

const fields: readonly (readonly [
  string,
  readonly Operator[],
  Partial<Record<Operator, string>>,
])[] = [
  ['isNew', ['present', 'not'], { not: 'true' }],
  ['ip', ['in', 'present', 'not'], { in: '$nets', not: '10.0.0.0/8' }],
  ['level', number, {}],
  ['user', Object.keys(operands) as Operator[], { not: 'b' }],
]

const cases = fields.flatMap(([field, allowed, own]) =>
  Object.entries(operands).map(([operator, operand]) => ({
    field,
    operator,
    isAllowed: allowed.some((one) => one === operator),
    operand: own[operator as Operator] ?? operand,
  })),
)

test.each(cases)(
  '$field can have "$operator": $isAllowed',
  async ({ field, operator, operand, isAllowed }) => {
    const when = `{ ${field}: { ${operator}: ${operand} } }`
    const findings = await findingsOf(
      `${head}\nrules:\n  - { id: a, when: ${when}, limit: 1, window: 1m }`,
    )
    expect(findings.length === 0, JSON.stringify(findings)).toBe(isAllowed)
  },
)
