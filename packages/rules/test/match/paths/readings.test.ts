import { describe, expect, test } from 'vitest'
import { asked, compiledRules, keysOf } from '../../compiled.js'

test.each([
  ['/a/../B', '/b'],
  ['/x%2F..%2Fb', '/b'],
  ['/b;x', '/b'],
  ['/b\u00a0', '/b'],
  ['/b/', '/b'],
  ["/b'#", '\0'],
])('the path %s counts as %s', async (url, path) => {
  expect(await keysOf({ key: 'path' }, { url })).toEqual(['path', path])
})

test('a file server can take an encoded backslash for a slash, and a semicolon for a part of a name', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { path: '/a;b' }, key: [], limit: 1, window: 1m }`,
  )
  expect(asked(rules, { url: '/x%5C..%5Ca;b' })).toEqual(['r'])
})

describe.each([
  ['without an origin', 'api/search'],
  ['of another scheme', 'ftp://here/api/search'],
  ['with an origin that ends in different places', 'http://here;x/other/api/search'],
  ['that Express parses and cuts at another place', "/x'/other#"],
  ['in which Express finds a host', '/x//user@here/api/search#'],
  ['of 15,000 accents', `/${'^'.repeat(15_000)}`],
  ['of 15,000 backslashes', '\\'.repeat(15_000).replace('\\', '/')],
  ['of more segments than are read', `/x${'//'.repeat(70)}`],
])('a URL %s', (_what, url) => {
  test('can mean any path: all limits apply, and no exemption', async () => {
    const rules = await compiledRules(`
  - { id: free, when: { path: '/**' }, then: allow }
  - { id: other, when: { not: { path: /api/search } }, then: allow }
  - { id: text, when: { path: { not: { prefix: /api } } }, then: allow }
  - { id: path, when: { path: /api/search }, key: [], limit: 1, window: 1m }
  - { id: part, when: { path: { suffix: .png } }, key: [], limit: 1, window: 1m }
  - { id: not, when: { not: { path: /api/search } }, key: [], limit: 1, window: 1m }
  - { id: any, when: { any: [{ path: /a }, { method: POST }] }, key: path, limit: 1, window: 1m }`)
    expect(asked(rules, { url })).toEqual(['path', 'part', 'not', 'any'])
    const denied = await compiledRules(`  - { id: r, when: { path: /api/search }, then: deny }`)
    expect(asked(denied, { url })).toEqual(['refuse'])
    expect((await rules.explain({ url }, 0)).rules[3].reason).toBe('it matches')
  })

  test('is an error of the client if too many rules apply', async () => {
    const rules = Array.from(
      { length: 33 },
      (_, i) => `  - { id: r${i}, when: { path: /${i} }, key: [], limit: 1, window: 1m }`,
    )
    const compiled = await compiledRules(rules.join('\n'))
    expect(() => compiled.judge({ url }, 0)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

test('a character that Express encodes moves the rest of a parsed URL', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { path: /api/search }, key: [], limit: 1, window: 1m }`,
  )
  for (const character of `\t\n\r "'<>^\`{|}`) {
    expect(asked(rules, { url: `/x${character}/y#` })).toEqual(['r'])
    expect(asked(rules, { url: `/x${character}/y\u00a0` })).toEqual(['r'])
  }
  for (const character of `!$%&()*+,-./:;=?@[]_~`) {
    expect(asked(rules, { url: `/x${character}/y#` })).toEqual(['pass'])
  }
  for (const character of `"'<>^\`{|}`) {
    expect(asked(rules, { url: `/x${character}/y` })).toEqual(['pass'])
  }
})

test('a URL of 64 segments and 2,048 characters is read', async () => {
  const rules = await compiledRules(`
  - { id: r, when: { path: /api/search }, key: [], limit: 1, window: 1m }
  - { id: a, when: { path: '/a/**' }, key: [], limit: 1, window: 1m }`)
  const url = `/a${'/'.repeat(63)}${'^'.repeat(1983)}`
  expect(url).toHaveLength(2048)
  expect(asked(rules, { url })).toEqual(['a'])
  expect(asked(rules, { url: `${url}^` })).toEqual(['r', 'a'])
  expect(asked(rules, { url: `/a${'/'.repeat(64)}` })).toEqual(['r', 'a'])
  // A path with one meaning can be longer.
  expect(asked(rules, { url: `/a${'/b'.repeat(5000)}` })).toEqual(['a'])
})

test.each([['^'], ['\\'], ['/'], ['%41'], ['%ff'], [';/'], ['%2F'], [' '], ['#^']])(
  'a judgement of ten million characters of %s reads none of them twice',
  async (piece) => {
    const rules = await compiledRules(`
  - { id: free, when: { path: '/static/**' }, then: allow }
  - { id: r, when: { path: '/users/:id/posts' }, key: param.id, limit: 1, window: 1m }`)
    // If the work grew faster than the length, this test would take hours.
    for (const length of [2000, 10_000_000]) {
      const url = `/${piece.repeat(Math.floor(length / piece.length))}x`
      expect(asked(rules, { url })).toEqual(expect.any(Array))
    }
  },
)

describe('a semicolon', () => {
  const rules = compiledRules(`
  - { id: free, when: { query.id: { not: A } }, then: allow }
  - { id: limited, when: { query.id: A }, key: query.id, limit: 1, window: 1m }`)

  test.each<readonly [boolean, string, readonly string[]]>([
    [true, '/q;id=A', ['limited']],
    [true, '/q;x?id=A', ['pass']],
    [true, '/q?x=1;id=A', ['pass']],
    [false, '/q;id=A', ['pass']],
    [false, '/q;x?id=A', ['limited']],
  ])('(ends the path: %s) in %s', async (semicolonEndsPath, url, expected) => {
    expect(asked(await rules, { url, semicolonEndsPath })).toEqual(expected)
  })

  test('of an unknown router can begin a query, so that the value is not single', async () => {
    const compiled = await rules
    expect(() => compiled.judge({ url: '/q;id=A' }, 0)).toThrow(
      expect.objectContaining({ code: 'SLUICE_RULES_VALUE_INVALID', status: 400 }),
    )
  })
})

test('a URL that the framework rewrote is limited as both, and exempt only as both', async () => {
  const rules = await compiledRules(`
  - { id: both, when: { path: [/v1/health, /health] }, then: allow }
  - { id: one, when: { path: /v1/** }, then: allow }
  - { id: sent, when: { path: '/v1/**' }, key: [], limit: 1, window: 1m }
  - { id: routed, when: { path: '/items/:id' }, key: param.id, limit: 1, window: 1m }`)
  expect(asked(rules, { url: '/v1/health', routedUrl: '/health' })).toEqual(['pass'])
  expect(asked(rules, { url: '/v1/7', routedUrl: '/items/7' })).toEqual(['sent', 'routed'])
  expect(asked(rules, { url: '/v1/health', routedUrl: '/health/' })).toEqual(['sent'])
  expect(asked(rules, { url: '/v1/7', routedUrl: '/v1/7' })).toEqual(['pass'])
  expect(asked(rules, { url: '/v1/7', routedUrl: "/'#" })).toEqual(['sent', 'routed'])
})

describe('of a group', () => {
  test('only the first rule applies that matches the URL in all of its meanings', async () => {
    const rules = await compiledRules(`
  - { id: bulk, group: g, when: { path: '/api/bulk/**' }, key: [], limit: 9, window: 1m }
  - { id: one, group: g, when: { path: /api/one }, key: [], limit: 5, window: 1m }
  - { id: api, group: g, when: { path: '/api/**' }, key: [], limit: 1, window: 1m }`)
    for (const [url, ids] of [
      ['/api/bulk/x', ['bulk']],
      ['/API/bulk/x', ['bulk']],
      ['/api/bulk/x/', ['bulk']],
      ['/api/bulk//x', ['bulk']],
      ['/api/one', ['one']],
      // Fastify does not route it to /api/one.
      ['/api/one/', ['one', 'api']],
      ['/api/x/../bulk/y', ['bulk', 'api']],
      ['/api/one;/../bulk/x', ['bulk', 'one', 'api']],
      ["/api/bulk/'#", ['bulk', 'one', 'api']],
    ] as const) {
      expect([url, asked(rules, { url })]).toEqual([url, ids])
    }
  })

  test.each([
    ['{ query.q: a }', '/x/?q=a', '/x/?q=a&q=b'],
    ['{ any: [{ path: /x }] }', '/x', '/x/'],
    ['{ path: "/:id", param.id: x }', '/x', '/x/'],
  ])('a rule of %s excludes others for %s, and not for %s', async (when, one, several) => {
    const rules = await compiledRules(`
  - { id: first, group: g, when: ${when}, key: [], limit: 9, window: 1m }
  - { id: second, group: g, key: [], limit: 1, window: 1m }`)
    expect(asked(rules, { url: one })).toEqual(['first'])
    expect(asked(rules, { url: several })).toEqual(['first', 'second'])
  })

  test('a rule that matches each meaning of a URL excludes others, although an exemption would not match', async () => {
    const rules = await compiledRules(`
  - { id: first, group: g, when: { path: { prefix: /x } }, key: [], limit: 9, window: 1m }
  - { id: second, group: g, key: [], limit: 1, window: 1m }`)
    expect(asked(rules, { url: '/x/' })).toEqual(['first'])
    expect(asked(rules, { url: '/y/../x' })).toEqual(['first', 'second'])
  })
})
