import type { Field, Reading } from '../reading.js'
import { anything, Failure, isSeveral, Several, type Value } from '../value.js'
import type { Schedule } from '../schedule.js'
import type { Patterns } from '../paths/patterns.js'
import type { Operator } from './operators.js'

/** Something that has to hold for a rule to apply. */
export interface Test {
  /** How much work it is. Cheaper tests come first. */
  readonly work: number
  /**
   * @param surely whether it has to hold for every server that reads the request, as in an exemption. A limit applies if it can hold. Within `not` it is the
   * opposite.
   */
  holds(reading: Reading, surely: boolean): boolean
  /** Why it does not hold. */
  mismatch(reading: Reading, surely: boolean): Mismatch
}

/** The first predicate that did not hold, and the value that it saw. */
export interface Mismatch {
  readonly field: string
  /** Undefined if the request does not have it. */
  readonly value: Value | readonly string[]
  readonly secret: boolean
  /** The failed test in words, such as `is not POST`. */
  readonly words: string
}

/** A field that has to pass an operator. A request without the field does not. */
export function fieldTest(
  field: Field,
  operatorFor: (spell: ((text: string) => string) | undefined) => Operator,
): Test {
  const usual = operatorFor(field.spell)
  const sent = field.isExact ? operatorFor(undefined) : usual
  const passes = (value: Value, surely: boolean): boolean => {
    if (value === undefined) return false
    if (value === anything) return !surely
    if ((surely ? sent : usual).test(value)) return true
    // Frameworks answer HEAD by the handler of GET.
    return value === 'HEAD' && !surely && field.name === 'method' && usual.test('GET')
  }
  return {
    work: usual.work + workOf(field),
    holds(reading, surely) {
      const value = reading.get(field, surely)
      // The application can use any of several values.
      if (value instanceof Several) return value.values.some((one) => passes(one, surely))
      return passes(value, surely)
    },
    mismatch: (reading, surely) => mismatchOf(field, reading, surely, usual.failure),
  }
}

/** A field that has to be present, or has to be absent. */
export function presence(field: Field, isWanted: boolean): Test {
  return {
    work: workOf(field),
    holds(reading, surely) {
      // A path that servers read in several ways is not absent.
      const value = reading.get(field, surely && isWanted)
      if (value === anything) return !surely
      if (!(value instanceof Several)) return (value !== undefined) === isWanted
      return !surely && value.values.some((one) => (one !== undefined) === isWanted)
    },
    mismatch: (reading, surely) =>
      mismatchOf(field, reading, surely, isWanted ? 'is absent' : 'is present'),
  }
}

/** A path that has to fit one of the patterns. */
export function pathTest(patterns: Patterns, numbers: readonly number[]): Test {
  return {
    work: 1,
    holds(reading, surely) {
      const { text, fits } = reading.pathFor(surely)
      return text === anything ? !surely : numbers.some((number) => fits.has(number))
    },
    mismatch(reading, surely) {
      const words = `does not fit ${numbers.map((number) => patterns.textOf(number, surely)).join(', ')}`
      return {
        field: 'path',
        value: reading.pathFor(surely).text ?? reading.request.url,
        secret: false,
        words,
      }
    },
  }
}

/** A schedule that has to be active. */
export function duringTest(names: readonly string[], schedules: readonly Schedule[]): Test {
  return {
    work: 1,
    holds: ({ request: { now } }) => schedules.some((schedule) => schedule.activeAt(now)),
    mismatch({ request: { now } }) {
      const words = `is not in ${names.join(', ')}`
      return { field: 'during', value: new Date(now).toISOString(), secret: false, words }
    },
  }
}

/** All of them have to hold. */
export function allOf(tests: readonly Test[]): Test {
  if (tests.length === 1) return tests[0]
  const ordered = tests.toSorted((a, b) => a.work - b.work)
  return {
    work: sumOf(tests),
    holds: (reading, surely) => decide(ordered, reading, surely, false),
    mismatch(reading, surely) {
      const failing = ordered.find((test) => !test.holds(reading, surely)) ?? ordered[0]
      return failing.mismatch(reading, surely)
    },
  }
}

/** One of them has to hold. */
export function anyOf(tests: readonly Test[]): Test {
  return {
    work: sumOf(tests),
    holds: (reading, surely) => decide(tests, reading, surely, true),
    mismatch(reading, surely) {
      const failures = tests.map((test) => test.mismatch(reading, surely))
      const words = failures.map(({ field, words }) => `${field} ${words}`).join(', and ')
      return { field: 'any', value: undefined, secret: false, words: `fails: ${words}` }
    },
  }
}

/** It must not hold. */
export function notOf({ work, holds }: Test, words: string): Test {
  return {
    work,
    holds: (reading, surely) => !holds(reading, !surely),
    mismatch: () => ({ field: 'not', value: undefined, secret: false, words: `fails: ${words}` }),
  }
}

/**
 * Whether one test has a result, which then is that of all. An error counts only if none has it. Otherwise the errors of requests would depend on the order
 * of the tests.
 */
function decide(
  tests: readonly Test[],
  reading: Reading,
  surely: boolean,
  result: boolean,
): boolean {
  let failure: Failure | undefined
  for (let i = 0; i < tests.length; i++) {
    try {
      if (tests[i].holds(reading, surely) === result) return result
    } catch (error) {
      failure ??= new Failure(error)
    }
  }
  if (failure !== undefined) throw failure.error
  return !result
}

function mismatchOf(field: Field, reading: Reading, surely: boolean, failure: string): Mismatch {
  const { name, secret, inPath } = field
  const slot = inPath === undefined ? reading.request.peek(field) : reading.get(field, surely)
  if (slot instanceof Failure) throw slot.error
  const value = slot instanceof Several ? slot.values.filter((one) => one !== undefined) : slot
  return {
    field: name,
    secret,
    value,
    words: surely && isSeveral(slot) ? 'has several values' : failure,
  }
}

function sumOf(tests: readonly Test[]): number {
  return tests.reduce((sum, { work }) => sum + work, 0)
}

/** A value of the application may need a database query. Other fields are read from the request. */
export const workOfValues = 1000

function workOf(field: Field): number {
  return field.check === undefined ? 0 : workOfValues
}
