import { parseDictionary, parseList } from 'structured-headers'
import { describe, expect, test } from 'vitest'
import { fixedWindow, type Duration } from '../../../src/index.js'
import {
  createGuard,
  inOrder,
  writeFields,
  type Guard,
  type HeaderField,
  type HeaderStyle,
  type ResponseHeaders,
} from '../../../src/http/index.js'
import { noHeaders, fieldsOf, response, start, viewOf, type Handler, type Visit } from '../visit.js'

/** The headers of a response, in a map. */
function responseWith(fields: Iterable<readonly [string, unknown]> = []): {
  readonly headers: ResponseHeaders
  readonly written: Map<string, unknown>
} {
  const written = new Map<string, unknown>(fields)
  const headers: ResponseHeaders = {
    getHeader: (name) => written.get(name),
    setHeader: (name, value) => written.set(name, value),
    removeHeader: (name) => written.delete(name),
  }
  return { headers, written }
}

/** A limiter with this many units remaining after one request. */
function remaining(
  name: string,
  left: number,
  headers: HeaderStyle = 'draft',
): Guard<Visit, Handler> {
  const policies = { [name]: fixedWindow({ limit: left + 1, window: '1m' }) }
  return createGuard({ name, policies, key: 'all', headers, clock: () => start })
}

/** A limiter with two units remaining after one request. */
function costing(limit: number, window: Duration, headers: HeaderStyle): Guard<Visit, Handler> {
  const cost = limit - 2
  const algorithm = fixedWindow
  return createGuard({ limit, window, algorithm, cost, key: 'all', headers, clock: () => start })
}

/** The fields with two units remaining. */
function numbers(prefix: string, limit: number, reset: number): Record<string, string> {
  return {
    [`${prefix}-Limit`]: `${limit}`,
    [`${prefix}-Remaining`]: '2',
    [`${prefix}-Reset`]: `${reset}`,
  }
}

const epoch = start / 1000

async function joinedBy(...guards: Guard<Visit, Handler>[]): Promise<Record<string, unknown>> {
  const { headers, written } = responseWith()
  for (const guard of guards) {
    writeFields((await guard.check(viewOf({}), response, headers)).headers, headers)
  }
  return Object.fromEntries(written)
}

describe('two limiters of one request', () => {
  test('have one item each in the lists of the current draft', async () => {
    const fields = await joinedBy(remaining('one', 4), remaining('two', 1))
    expect(fields).toEqual({
      'RateLimit-Policy': '"one";q=5;w=60, "two";q=2;w=60',
      RateLimit: '"one";r=4;t=60, "two";r=1;t=60',
    })
    expect(parseList(String(fields['RateLimit'])).length).toBe(2)
  })

  test.each<[HeaderStyle, string]>([
    ['legacy', 'X-RateLimit'],
    ['legacy-epoch', 'X-RateLimit'],
    ['draft-6', 'RateLimit'],
  ])('have the numbers of the tighter one in the style %s', async (style, prefix) => {
    for (const lefts of [
      [4, 1],
      [1, 4],
      [1, 1],
    ]) {
      const guards = lefts.map((left, i) => remaining(`limit ${i}`, left, style))
      const { [`${prefix}-Limit`]: limit, [`${prefix}-Remaining`]: left } = await joinedBy(
        ...guards,
      )
      expect([limit, left]).toEqual(['2', '1'])
    }
  })

  test('have the numbers of the tighter one, and both quotas, in the style draft-7', async () => {
    for (const [lefts, quotas] of [
      [[4, 1], '5;w=60, 2;w=60'],
      [[1, 4], '2;w=60, 5;w=60'],
    ] as const) {
      const guards = lefts.map((left, i) => remaining(`limit ${i}`, left, 'draft-7'))
      const fields = await joinedBy(...guards)
      expect(fields).toEqual({
        'RateLimit-Policy': quotas,
        RateLimit: 'limit=2, remaining=1, reset=60',
      })
      expect(parseDictionary(String(fields['RateLimit'])).size).toBe(3)
    }
  })

  test.each<[HeaderStyle, Record<string, string>, Record<string, string>]>([
    ['legacy', numbers('X-RateLimit', 5, 60), numbers('X-RateLimit', 9, 3600)],
    [
      'legacy-epoch',
      numbers('X-RateLimit', 5, epoch + 60),
      numbers('X-RateLimit', 9, epoch + 3600),
    ],
    ['draft-6', numbers('RateLimit', 5, 60), numbers('RateLimit', 9, 3600)],
    [
      'draft-7',
      { RateLimit: 'limit=5, remaining=2, reset=60' },
      { RateLimit: 'limit=9, remaining=2, reset=3600' },
    ],
  ])(
    'have the numbers of the first one if both have the same number of units left: %s',
    async (headers, ofMinute, ofHour) => {
      const minute = () => costing(5, '1m', headers)
      const hour = () => costing(9, '1h', headers)
      expect(await joinedBy(minute(), hour())).toMatchObject(ofMinute)
      expect(await joinedBy(hour(), minute())).toMatchObject(ofHour)
    },
  )

  test('of different styles: the later one replaces fields that cannot be joined', async () => {
    const fields = await joinedBy(remaining('one', 4, 'draft-7'), remaining('two', 9))
    expect(fields).toEqual({
      'RateLimit-Policy': '"two";q=10;w=60',
      RateLimit: '"two";r=9;t=60',
    })
  })

  test('are joined in the same way by inOrder', async () => {
    for (const style of ['draft', 'draft-7', 'draft-6', 'legacy', 'legacy-epoch'] as const) {
      const guards = (): Guard<Visit, Handler>[] => [
        remaining('one', 4, style),
        remaining('two', 1, style),
        remaining('three', 7, style),
      ]
      const action = await inOrder(guards()).check(viewOf({}), response, noHeaders)
      expect(fieldsOf(action)).toEqual(await joinedBy(...guards()))
    }
  })
})

const mine: HeaderField[] = [
  ['X-RateLimit-Limit', '10'],
  ['X-RateLimit-Remaining', '5'],
  ['X-RateLimit-Reset', '60'],
]

test.each<[string, unknown, number]>([
  ['as a number', 4, 0],
  ['as a string', '4', 0],
  ['as the only one of a list', ['4'], 0],
  ['with more left', 6, 3],
  ['of no number', 'many', 3],
])('reads a field that the application wrote %s', (_, earlier, count) => {
  const { headers, written } = responseWith([['X-RateLimit-Remaining', earlier]])
  writeFields(mine, headers)
  expect(mine.filter(([name, value]) => written.get(name) === value).length).toBe(count)
})

test('joins lists that the application wrote as several fields', () => {
  const { headers, written } = responseWith([['RateLimit', ['"a";r=1', '"b";r=2']]])
  writeFields([['RateLimit', '"c";r=3']], headers)
  expect(written.get('RateLimit')).toBe('"a";r=1, "b";r=2, "c";r=3')
})

test('replaces every other field', () => {
  const { headers, written } = responseWith([
    ['Retry-After', '5'],
    ['Content-Type', 'text/html'],
  ])
  writeFields(
    [
      ['Retry-After', '60'],
      ['Content-Type', 'text/plain'],
    ],
    headers,
  )
  expect(Object.fromEntries(written)).toEqual({ 'Retry-After': '60', 'Content-Type': 'text/plain' })
})
