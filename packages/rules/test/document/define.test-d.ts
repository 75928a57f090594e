import { expectTypeOf, test } from 'vitest'
import { defineRules, type ValuesOf } from '../../src/index.js'

test('a document declares the types of its values', () => {
  const document = defineRules({
    version: 1,
    name: 'api',
    values: {
      user: 'string?',
      plan: ['free', 'pro'],
      isNew: 'boolean',
      level: { oneOf: [1, 2], optional: true },
      points: 'integer',
    },
    lists: { partners: { kind: 'address', entries: ['198.51.100.0/24'] } },
    schedules: { night: { from: '00:30', to: '06:00' } },
    rules: [
      { id: 'partners', when: { ip: { in: '$partners' } }, then: 'allow' },
      {
        id: 'api',
        when: {
          path: '/api/**',
          plan: ['free', 'pro'],
          isNew: true,
          during: 'night',
          'header.x': { prefix: 'a' },
        },
        key: { first: ['user', 'ip'] },
        cost: '$points',
        limit: { by: 'plan', free: 1, pro: 2 },
        window: '1m',
      },
    ],
  })

  expectTypeOf<ValuesOf<typeof document>>().branded.toEqualTypeOf<{
    readonly plan: 'free' | 'pro'
    readonly isNew: boolean
    readonly points: number
    readonly user?: string | null | undefined
    readonly level?: 1 | 2 | null | undefined
  }>()
})

test('names that the document does not declare do not compile', () => {
  const head = {
    version: 1,
    name: 'api',
    values: { plan: ['free', 'pro'], level: 'integer' },
  } as const

  defineRules({
    ...head,
    rules: [{ id: 'a', when: { plan: 'pro', level: 3 }, limit: 1, window: '1m' }],
  })
  // @ts-expect-error -- there is no value "plann"
  defineRules({ ...head, rules: [{ id: 'a', when: { plann: 'pro' }, limit: 1, window: '1m' }] })
  // @ts-expect-error -- "prro" is not a plan
  defineRules({ ...head, rules: [{ id: 'a', when: { plan: 'prro' }, limit: 1, window: '1m' }] })
  // @ts-expect-error -- a level is a number
  defineRules({ ...head, rules: [{ id: 'a', when: { level: 'high' }, limit: 1, window: '1m' }] })
  // @ts-expect-error -- there is no list "partners"
  defineRules({ ...head, rules: [{ id: 'a', when: { ip: { in: '$partners' } }, then: 'deny' }] })
  // @ts-expect-error -- there is no field "user"
  defineRules({ ...head, rules: [{ id: 'a', key: 'user', limit: 1, window: '1m' }] })
  // @ts-expect-error -- there is no schedule "night"
  defineRules({ ...head, rules: [{ id: 'a', when: { during: 'night' }, then: 'deny' }] })
  // @ts-expect-error -- there is no value "quota"
  defineRules({ ...head, rules: [{ id: 'a', limit: '$quota', window: '1m' }] })
  // @ts-expect-error -- there is no value "points"
  defineRules({ ...head, rules: [{ id: 'a', cost: '$points', limit: 1, window: '1m' }] })
})
