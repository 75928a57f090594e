import { randomFrom, runs } from '@sluice/test-kit/random'
import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { limitsIn } from '../src/rate-limit-field.js'

const random = randomFrom(9651)

function oneOf<T>(...values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]
}

function item(): string {
  const parameters = Array.from({ length: Math.floor(random() * 5) }, () => {
    const value = oneOf('0', '17', '3600', '"a;r=0"', '"x, y"', ':YQ==:', 'token', '?1', undefined)
    const gap = oneOf('', ' ')
    return `;${gap}${oneOf('r', 't', 'pk', 'q')}${value === undefined ? '' : `=${value}`}`
  })
  return oneOf('"default"', '"a \\"b\\""', '"a;r=1, b"', 'token') + parameters.join('')
}

/** The limits of a field by a parser of RFC 9651. */
function expected(field: string): unknown {
  return parseList(field).map(([, parameters]) => {
    const whole = (name: string) => {
      const value = parameters.get(name)
      return typeof value === 'number' ? value : undefined
    }
    return { remaining: whole('r'), reset: whole('t') }
  })
}

test('reads the fields that a parser of structured fields reads', () => {
  for (let run = 0; run < runs(5000); run++) {
    const field = Array.from({ length: 1 + Math.floor(random() * 3) }, item).join(oneOf(', ', ','))
    expect([field, limitsIn(field)]).toEqual([field, expected(field)])
  }
})
