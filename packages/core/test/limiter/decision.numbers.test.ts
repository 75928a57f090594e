import { setFlagsFromString } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { createLimiter, slidingWindow, type Decision, type Policies } from '../../src/index.js'
import { builders } from '../builders.js'

// V8 stores a small integer in the field of an object itself. If one decision has any other representation of such a number in a field, each later
// decision that has this field allocates memory for it.

setFlagsFromString('--allow-natives-syntax')
// oxlint-disable-next-line typescript/no-implied-eval -- the parser knows this syntax only from now on
const isSmallInteger = new Function('value', 'return %IsSmi(value)') as (value: number) => boolean

const longest = slidingWindow({ limit: 100_000, window: '20d' })

const lists: Readonly<Record<string, (kind: keyof typeof builders) => Policies>> = {
  alone: (kind) => builders[kind].build(builders[kind].good),
  'beside another': (kind) => ({ own: builders[kind].build(builders[kind].good), longest }),
  'with a block': (kind) => builders[kind].build({ ...builders[kind].good, block: { for: '5m' } }),
}

describe.each(Object.keys(lists))('a policy %s', (list) => {
  const kinds = (Object.keys(builders) as (keyof typeof builders)[]).filter(
    (kind) => list !== 'with a block' || 'block' in builders[kind].bad,
  )
  test.each(kinds)('%s makes decisions of small integers', async (kind) => {
    const limiter = createLimiter({ name: 'api', policies: lists[list](kind) })
    let denials = 0
    for (let i = 0; i < 400 && denials < 3; i++) {
      const decision = limiter.consume('key')
      if (!decision.allowed) denials++
      expect(otherNumbers(decision)).toEqual({})
      // The clock proceeds, so that the waits are differences of two times.
      if (i < 3 || denials > 0) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(denials).toBe(3)
  })
})

/** The numbers of a decision that are integers of 31 bits and have another representation. */
function otherNumbers(decision: Decision): Record<string, number> {
  const parts: [string, object][] = [['decision', decision], ...Object.entries(decision.policies)]
  return Object.fromEntries(
    parts.flatMap(([part, values]) =>
      Object.entries(values).flatMap(([name, value]) => {
        const isOther = typeof value === 'number' && (value | 0) === value && !isSmallInteger(value)
        return isOther ? [[`${part}.${name}`, value]] : []
      }),
    ),
  )
}
