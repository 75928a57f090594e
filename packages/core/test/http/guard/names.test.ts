import { expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  type Policies,
  type Store,
} from '../../../src/index.js'
import { createGuard } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'

const five = fixedWindow({ limit: 5, window: '1m' })
const six = fixedWindow({ limit: 6, window: '1m' })
const fives = () => fixedWindow({ limit: 5, window: 60_000 })

type Made = [name: string | undefined, policies: Policies | undefined]

/** Makes a limiter. Without policies, each request has its own. */
function guardOf(store: Store, [name, policies]: Made): void {
  const named = name === undefined ? {} : { name }
  createGuard({ store, policies: policies ?? (() => five), ...named })
}

/** The error of the last of several limiters. */
function second(...made: Made[]): string {
  const store: Store = memoryStore()
  for (const one of made.slice(0, -1)) guardOf(store, one)
  try {
    guardOf(store, made[made.length - 1])
    return 'made'
  } catch (error) {
    return errorOf(() => {
      throw error
    }).code
  }
}

test.each<[string, Made[]]>([
  [
    'a different name',
    [
      ['a', five],
      ['b', six],
    ],
  ],
  [
    'a name of any kind',
    [
      ['__proto__', five],
      ['constructor', six],
    ],
  ],
  [
    'the same name for equal policies',
    [
      ['a', five],
      ['a', fives()],
    ],
  ],
  [
    'the same name for one policy and its long form',
    [
      ['a', five],
      ['a', { default: fives() }],
    ],
  ],
  [
    'the same name in another order',
    [
      ['a', { x: five, y: six }],
      ['a', { y: six, x: five }],
    ],
  ],
  [
    'the same name for policies for each request',
    [
      ['a', five],
      ['a', undefined],
      ['a', five],
    ],
  ],
  [
    '"default" for the same policies as a limiter without a name',
    [
      [undefined, five],
      ['default', fives()],
    ],
  ],
  [
    'no name next to a limiter with a name',
    [
      ['a', five],
      [undefined, six],
    ],
  ],
])('accepts %s', (_, made) => {
  expect(second(...made)).toBe('made')
})

test.each<[string, string, Made[]]>([
  [
    'a name for policies with other numbers',
    'SLUICE_NAME_TAKEN',
    [
      ['a', five],
      ['a', six],
    ],
  ],
  [
    'a name for more policies',
    'SLUICE_NAME_TAKEN',
    [
      ['a', { x: five }],
      ['a', { x: five, y: six }],
    ],
  ],
  [
    'a name for another algorithm',
    'SLUICE_NAME_TAKEN',
    [
      ['a', five],
      ['a', gcra({ limit: 5, window: '1m' })],
    ],
  ],
  [
    'a name again after policies for each request',
    'SLUICE_NAME_TAKEN',
    [
      ['a', five],
      ['a', undefined],
      ['a', six],
    ],
  ],
  [
    '"default" next to a limiter without a name',
    'SLUICE_NAME_TAKEN',
    [
      [undefined, five],
      ['default', six],
    ],
  ],
  [
    'no name a second time',
    'SLUICE_OPTION_MISSING',
    [
      [undefined, five],
      [undefined, five],
    ],
  ],
  [
    'no name next to "default"',
    'SLUICE_OPTION_MISSING',
    [
      ['default', five],
      [undefined, five],
    ],
  ],
])('refuses %s', (_, code, made) => {
  expect(second(...made)).toBe(code)
})

test('keeps the names of each store separately', () => {
  const stores = [memoryStore(), memoryStore()]
  guardOf(stores[0], ['a', five])
  guardOf(stores[1], ['a', six])
  expect(errorOf(() => guardOf(stores[0], ['a', six])).code).toBe('SLUICE_NAME_TAKEN')
})

test('uses the route as the name of a guard without one, and claims no name in a store of its own', () => {
  const store = memoryStore()
  createGuard({ policies: five, store }, '/a')
  createGuard({ policies: six, store }, '/b')
  createGuard({ policies: six, store, name: 'c' }, '/a')
  expect(errorOf(() => createGuard({ policies: six, store }, '/a')).code).toBe('SLUICE_NAME_TAKEN')
  createGuard({ policies: five, name: 'x' })
  createGuard({ policies: six, name: 'x' })
})

test('a limiter that is closed frees its name, and one with wrong options has none', () => {
  const store = memoryStore()
  const wrong = { policies: five, store, name: 'a', key: { unknown: () => 'key' } } as never
  expect(errorOf(() => createGuard(wrong)).code).toBe('SLUICE_POLICY_NAME_UNKNOWN')
  const { limiter } = createGuard({ policies: six, store, name: 'a' })
  expect(errorOf(() => createGuard({ policies: five, store, name: 'a' })).code).toBe(
    'SLUICE_NAME_TAKEN',
  )
  void limiter.close()
  createGuard({ policies: five, store, name: 'a' })
})

test('a limiter of createLimiter with the same name may have other numbers, and no other algorithm', () => {
  const store = memoryStore()
  createLimiter({ name: 'a', policies: five, store })
  const pace = gcra({ limit: 5, window: '1m' })
  const error = errorOf(() => createGuard({ policies: pace, store, name: 'a' }))
  expect([error.code, error.message.includes('"default"')]).toEqual(['SLUICE_NAME_TAKEN', true])
  createGuard({ policies: six, store, name: 'a' })
})
