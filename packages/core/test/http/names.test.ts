import { expect, test } from 'vitest'
import { fixedWindow, gcra, memoryStore, type Policies, type Store } from '../../src/index.js'
import { createGuard } from '../../src/http/index.js'
import { claimName } from '../../src/http/options/names.js'
import { errorOf } from '../error-of.js'

const five = fixedWindow({ limit: 5, window: '1m' })
const six = fixedWindow({ limit: 6, window: '1m' })
const fives = () => fixedWindow({ limit: 5, window: 60_000 })

/** The error of the last of several limiters. */
function second(...claims: [string | undefined, Policies | undefined][]): string {
  const store: Store = memoryStore()
  const last = claims.pop()
  for (const [name, policies] of claims) claimName(store, name, policies)
  try {
    claimName(store, ...(last ?? [undefined, undefined]))
    return 'taken'
  } catch (error) {
    return errorOf(() => {
      throw error
    }).code
  }
}

test.each<[string, [string | undefined, Policies | undefined][]]>([
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
])('accepts %s', (_, claims) => {
  expect(second(...claims)).toBe('taken')
})

test.each<[string, string, [string | undefined, Policies | undefined][]]>([
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
])('refuses %s', (_, code, claims) => {
  expect(second(...claims)).toBe(code)
})

test('keeps the names of each store separately', () => {
  const stores = [memoryStore(), memoryStore()]
  claimName(stores[0], 'a', five)
  claimName(stores[1], 'a', six)
  expect(errorOf(() => claimName(stores[0], 'a', six)).code).toBe('SLUICE_NAME_TAKEN')
})

test('uses the route as the name of a guard without one, and claims no name in a store of its own', () => {
  const store = memoryStore()
  createGuard({ policy: five, store }, '/a')
  createGuard({ policy: six, store }, '/b')
  createGuard({ policy: six, store, name: 'c' }, '/a')
  expect(errorOf(() => createGuard({ policy: six, store }, '/a')).code).toBe('SLUICE_NAME_TAKEN')
  createGuard({ policy: five, name: 'x' })
  createGuard({ policy: six, name: 'x' })
})
