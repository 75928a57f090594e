import { runInNewContext } from 'node:vm'
import fc, { type JsonValue } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { byHeader, byUser, createGuard, firstOf } from '../../../src/http/index.js'
import { fixedWindow } from '../../../src/index.js'
import { isSent } from '../../../src/http/keys/sent-lists.js'
import { rejectionOf } from '../../error-of.js'
import { guardOf, noHeaders, response, viewOf, type Options, type Visit } from '../visit.js'

type KeyOption = NonNullable<Options['key']>

/** A request whose client sent this value as its name, with the parsed parts. */
const named = (user: unknown) => ({ user }) as Visit
const seen = (visit: Visit) => ({ sent: [{ form: visit }, { page: '1' }, undefined] })
const name = ({ user = '' }: Visit): string => user

async function refusalOf(key: KeyOption, value: unknown): Promise<readonly unknown[]> {
  const check = guardOf({ limit: 1, window: '1m', key })
  const { code, status } = await rejectionOf(check(named(value), seen(named(value))))
  return [code, status]
}

const refused = ['SLUICE_KEY_INVALID', 400]

describe('a list that the client sent is not a key', () => {
  test.each<[string, KeyOption]>([
    ['as it is', name],
    ['promised', async (visit) => name(visit)],
    ['by a function’s function', () => name],
    ['for one policy', { default: name }],
    ['by firstOf', firstOf(name, () => 'next')],
    ['copied', (visit) => JSON.parse(JSON.stringify(name(visit)))],
  ])('%s', async (_, key) => {
    const visit = named(['ann', 'x'])
    const check = guardOf({ limit: 1, window: '1m', key })
    const made = check(visit, seen(visit))
    const { code, status, stack } = await rejectionOf(made)
    expect([code, status]).toEqual(refused)
    expect(stack).toContain('The client sent this list')
  })

  test.each<[string, unknown]>([
    ['of one', ['ann']],
    ['that spells byUser', ['user', '42']],
    ['of numbers', [1, 2]],
  ])('%s', async (_, list) => {
    expect(await refusalOf(name, list)).toEqual(refused)
  })

  test('at any depth', () => {
    const text = '{"a":['.repeat(5000) + '["ann","x"]' + ']}'.repeat(5000)
    const deep: unknown = JSON.parse(text)
    expect(isSent(['ann', 'x'], [{ name: deep }])).toBe(true)
    expect(isSent(['ann', 'y'], [{ name: deep }])).toBe(false)
  })

  test.each<[string, object]>([
    ['without a prototype', Object.assign(Object.create(null), { name: ['ann'] })],
    ['with an empty one', Object.assign(Object.create(Object.create(null)), { name: ['ann'] })],
    ['of another realm', runInNewContext(`({ name: ['ann'] })`)],
  ])('in an object %s', (_, sent) => {
    expect([isSent(['ann'], [sent]), isSent(['bob'], [sent])]).toEqual([true, false])
  })

  test('although objects have cycles', () => {
    const loop: Record<string, unknown> = { name: ['ann'] }
    loop['self'] = loop
    expect([isSent(['ann'], [loop]), isSent(['bob'], [loop])]).toEqual([true, false])
  })
})

describe('a list that the application builds is a key', () => {
  test.each<[string, KeyOption]>([
    ['by a function', (visit) => ['name', name(visit)]],
    ['by a list of functions', ['name', name]],
    ['by byUser', byUser(name)],
    ['by firstOf', firstOf(byHeader('x'), (visit) => ['name', name(visit)])],
  ])('%s', async (_, key) => {
    const check = guardOf({ limit: 1, window: '1m', key })
    const visit = named('ann')
    const sent = { sent: [visit, ['name', ['ann'], 'ann'], ['ann', 'name'], ['name', 'ann', 'x']] }
    expect([(await check(visit, sent)).type, (await check(visit, sent)).type]).toEqual([
      'continue',
      'deny',
    ])
  })

  test('if the adapter does not pass the sent values', async () => {
    const check = guardOf({ limit: 1, window: '1m', key: () => ['a', 'b'] })
    const types = [await check({}, withoutSent), await check({}, withoutSent)].map(
      ({ type }) => type,
    )
    expect(types).toEqual(['continue', 'deny'])
  })

  test('although a Buffer or another instance contains an equal list', () => {
    class Upload {
      readonly list = ['ann']
    }
    const others = [new Upload(), new Map([['a', ['ann']]]), Buffer.from('ann')]
    expect(isSent(['ann'], others)).toBe(false)
    expect(isSent([97], [Buffer.from('a')])).toBe(false)
  })
})

describe('each value that the client sent is read once', () => {
  /** A value of which each object counts the reads of its members. */
  function counted(value: object, reads: string[]): object {
    return new Proxy(value, {
      get(target, name): unknown {
        const member: unknown = Reflect.get(target, name)
        if (typeof name === 'string' && Object.hasOwn(target, name) && name !== 'length')
          reads.push(name)
        return typeof member === 'object' && member !== null ? counted(member, reads) : member
      },
    })
  }

  const names = Array.from({ length: 100 }, (_, i) => `n${i}`)
  const values = Object.fromEntries(names.map((name) => [name, { name }]))

  test('for any number of policies', async () => {
    const reads: string[] = []
    const sent = [counted({ names: values }, reads)]
    const three = ['a', 'b', 'c']
    const check = guardOf({
      policies: Object.fromEntries(three.map((name) => [name, fixedWindow(minute)])),
      key: Object.fromEntries(three.map((name) => [name, () => ['own', name]])),
    })
    expect((await check({}, { sent })).type).toBe('continue')
    expect(reads.length).toBe(1 + 2 * names.length)
  })

  test('and not at all if the key is a text, a list of functions or a key function of this package', async () => {
    let reads = 0
    const visit = viewOf({}, { headers: { x: '1' } })
    const view = Object.defineProperty(visit, 'sent', { get: () => [++reads] })
    const ofPackage = [byUser(() => 'ann'), firstOf(byHeader('x'))]
    for (const key of [() => 'ann', ['name', () => 'ann'], ...ofPackage]) {
      const guard = createGuard<Visit, never>({ ...minute, key })
      expect((await guard.check(view, response, noHeaders)).type).toBe('continue')
    }
    expect(reads).toBe(0)
  })

  test('although the list of values grows, and values share objects', () => {
    const reads: string[] = []
    const shared = counted(values, reads)
    const sent: unknown[] = []
    for (let call = 0; call < 50; call++) {
      sent.push({ call, shared })
      expect(isSent(['ann', call], sent)).toBe(false)
    }
    expect(reads.length).toBe(2 * names.length)
    sent.push({ name: ['ann', 7] })
    expect(isSent(['ann', 7], sent)).toBe(true)
  })
})

const minute = { limit: 1, window: '1m' } as const

const withoutSent: object = { sent: undefined }

type Example = [JsonValue, KeyOption]

const hostile: readonly JsonValue[] = [
  null,
  ['ann', 'x'],
  { default: null },
  { default: 'x' },
  42,
  [['a']],
]

test('no JSON of a client changes the form of a key or avoids the limit', async () => {
  const whole: readonly KeyOption[] = [name, firstOf(name), { default: name }]
  const asPart: readonly KeyOption[] = [
    ['name', name],
    (visit) => ['name', name(visit)],
    byUser(name),
    firstOf(byUser(name)),
    { default: ['name', name] },
  ]
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.constantFrom(...whole, ...asPart), async (value, key) => {
      const visit = named(value)
      const isText = typeof value === 'string' && value !== ''
      const check = guardOf({ limit: 1, window: '1m', key })
      if (isText || (asPart.includes(key) && Number.isSafeInteger(value))) {
        const types = [
          (await check(visit, seen(visit))).type,
          (await check(visit, seen(visit))).type,
        ]
        expect(types).toEqual(['continue', 'deny'])
      } else {
        expect((await rejectionOf(check(visit, seen(visit)))).status).toBe(400)
      }
    }),
    {
      numRuns: runs(2000),
      examples: hostile.flatMap((value) =>
        [...whole, ...asPart].map((key): Example => [value, key]),
      ),
    },
  )
})
