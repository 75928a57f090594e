import { describe, expect, test } from 'vitest'
import { asked, compiled, compiledRules } from '../compiled.js'

const spellings = [
  '/api/search',
  '/API/Search',
  '/api/search/',
  '//api/search',
  '/api//search',
  '/api///search//',
  '/./api/search',
  '/api/./search',
  '/x/../api/search',
  '/api/x/../search',
  '/../api/search',
  '/%61pi/search',
  '/api/se%61rch',
  '/%41pi/%53earch',
  '/api/%2e/search',
  '/api/x/%2E%2e/search',
  '/api;v=1/search',
  '/api/search;jsessionid=1',
  '/api/search?q=1',
  '/api/search?',
  '/api/search/?a=/other',
  '/api/search#x',
  'http://host.example/api/search',
  'HTTPS://host.example:8080/api/search?x',
  '/api\\search',
  'http://host.example?/api/search',
  '/api\\search#x',
  '/api%2Fsearch',
  '/api%5csearch',
  '/api/search;/x',
]

describe.each(spellings)('%s', (url) => {
  test('is the same path for a limit', async () => {
    const rules = await compiledRules(
      `  - { id: r, when: { path: /api/search }, key: [], limit: 1, window: 1m }`,
    )
    expect(asked(rules, { url })).toEqual(['r'])
  })

  test('is another path for an exemption, unless it is spelled plainly', async () => {
    const rules = await compiledRules(`
  - { id: free, when: { path: /api/search }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
    const isPlain = /^\/api\/search(?:[?#].*)?$/.test(url)
    expect(asked(rules, { url })).toEqual([isPlain ? 'pass' : 'r'])
  })
})

test.each(['/api/searching', '/api', '/api/search/x', '/api/%2573earch', '/search', '*', ''])(
  '%s is another path',
  async (url) => {
    const rules = await compiledRules(
      `  - { id: r, when: { path: /api/search }, key: [], limit: 1, window: 1m }`,
    )
    expect(asked(rules, { url })).toEqual(['pass'])
  },
)

describe.each([
  ['/users/:id/posts', '/users/../posts'],
  ['/users/:id/posts', '/users/%2e/posts/'],
  ['/users/:id/posts', '/users/;x/posts'],
  ['/users/:id/posts', '/users//posts'],
  ['/users/:id/posts', '/users/a%2Fb/posts'],
  ['/users/:id/posts', '/users\\..\\posts#'],
  ['/users/:id/posts', '/users/../posts;x/y'],
  ['/find/:term', '/find/'],
  ['/find/:term', '/find/..'],
  ['/find/:term', '/find/;x'],
  ['/files/**', '/files/../x'],
  ['/files/**', '/files/a/../../x'],
  ['/files/**', '/files/%2e%2e/x'],
  ['/files/**', '/files/..;/x'],
  ['/token', '/to%E2%84%AAen'],
  ['/stra\u00dfe', '/STRASSE'],
  ['/caf\u00e9', '/CAF%C3%89'],
  ['/\u03bc\u03c3', '/\u00b5%CF%82'],
  ['/login', '/login\u00a0'],
  ['/login', '/login/\u00a0 \ufeff'],
  ['/a@b', '/a%40b'],
  ['/a%2fb', '/a%2Fb'],
  ['/100%25', '/100%25'],
  ['/find/:term', '/find/x//'],
  ['/a/:b/:c', '/a///'],
  ['/a/b', '/a/b;/../c'],
])('a router that resolves nothing serves %s for %s', (pattern, url) => {
  test('a limit applies', async () => {
    const rules = await compiledRules(
      `  - { id: r, when: { path: '${pattern}' }, key: [], limit: 1, window: 1m }`,
    )
    expect(asked(rules, { url })).toEqual(['r'])
  })

  test('an exemption of all other paths does not', async () => {
    for (const when of [`not: { path: '${pattern}' }`, `path: { not: '${pattern}' }`]) {
      const rules = await compiledRules(`
  - { id: free, when: { ${when} }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
      expect(asked(rules, { url })).toEqual(['r'])
      expect(asked(rules, { url: '/other' })).toEqual(['pass'])
    }
  })
})

test.each(['/health', '/Health', '//health', '/x/../health', '/health/'])(
  'whether a limit of all paths but /health applies to %s',
  async (url) => {
    for (const when of ['not: { path: /health }', 'path: { not: /health }']) {
      const rules = await compiledRules(
        `  - { id: r, when: { ${when} }, key: [], limit: 1, window: 1m }`,
      )
      expect(asked(rules, { url })).toEqual([url === '/health' ? 'pass' : 'r'])
    }
  },
)

test.each([
  ['GET', 'method: GET', ['r'], ['pass']],
  ['HEAD', 'method: GET', ['r'], ['r']],
  ['HEAD', 'method: HEAD', ['r'], ['pass']],
  ['HEAD', 'method: { not: GET }', ['r'], ['r']],
  ['HEAD', 'not: { method: GET }', ['r'], ['r']],
  ['GET', 'not: { method: GET }', ['pass'], ['r']],
])('%s by a limit and by an exemption of { %s }', async (method, when, limited, exempt) => {
  const limit = await compiledRules(
    `  - { id: r, when: { ${when} }, key: [], limit: 1, window: 1m }`,
  )
  expect(asked(limit, { method })).toEqual(limited)
  const exemption = await compiledRules(`
  - { id: free, when: { ${when} }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
  expect(asked(exemption, { method })).toEqual(exempt)
})

test.each([
  ['/?q=a', ['r']],
  ['/?q=b', ['pass']],
  ['/', ['pass']],
  // Express can read an array, or nothing.
  ['/?q[]=a', ['r', 'other']],
  ['/?q%5B0%5D=a', ['r', 'other']],
  // Fastify finds a query behind the hash.
  ['/#q=a', ['r', 'other']],
  ['/?x=1#&q=a', ['r', 'other']],
  ['/?q=b&q=a', ['r', 'other']],
  ['/?q=b#&q=a', ['r', 'other']],
  ['/?q=a#b', ['r', 'other']],
  ['/?q=a#', ['r', 'other']],
])(
  'the parameter q of %s is "a" for a limit, and not "a" for another: %j',
  async (url, expected) => {
    const rules = await compiledRules(`
  - { id: free, when: { query.q: { not: a } }, then: allow }
  - { id: r, when: { query.q: a }, key: [], limit: 1, window: 1m }
  - { id: other, when: { query.q: { not: a } }, key: [], limit: 1, window: 1m }`)
    expect(asked(rules, { url })).toEqual(expected)
  },
)

test.each([
  ['/static/../admin', 'r'],
  ['/static/%2e%2e/admin', 'r'],
  ['/static/..%2Fadmin', 'r'],
  ['/static/x%2Fy', 'r'],
  ['/static/x%5Cy', 'r'],
  ['/static/x\\y', 'r'],
  ['/static/%2E', 'r'],
  ['/static//x', 'r'],
  ['/static/x;y', 'r'],
  ['/static/x%3By', 'r'],
  ['/static/x/', 'r'],
  ['/static/%78', 'r'],
  ['/static/100%25', 'r'],
  ['/static/%00', 'r'],
  ['/static/%c3%a9', 'r'],
  ['/static/%C3', 'r'],
  ['/static/%FF', 'r'],
  ['/static/\u00e9', 'r'],
  ['/static/x\u00a0', 'r'],
  // Some router takes it for a "k".
  ['/static/%E2%84%AA', 'r'],
  // Express parses a URL with a hash in another way.
  ["/static/o'x#y", 'r'],
  ["/static/o'x?\u00a0", 'r'],
  ['http://here/static/x', 'r'],
  ['/static/x', 'pass'],
  ['/static/x#y', 'pass'],
  ['/static/X.png?v=1', 'pass'],
  ['/static/x?y=../z;%2F\\', 'pass'],
  ['/static/...', 'pass'],
  ['/static/.x', 'pass'],
  ["/static/o'x", 'pass'],
  ['/static/@a:b,c=d&e+f!$(g)*~', 'pass'],
  ['/static/a%20b', 'pass'],
  ['/static/caf%C3%A9', 'pass'],
  ['/static/a%40b%2Bc', 'pass'],
  ['/Static/x', 'r'],
])('whether an exemption of /static/** applies to %s: %s', async (url, expected) => {
  const rules = await compiledRules(`
  - { id: free, when: { path: '/static/**' }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url })).toEqual([expected])
})

test('an exemption does not apply to a parameter that is sent twice', async () => {
  const rules = await compiledRules(`
  - { id: free, when: { query.token: ok }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url: '/?token=ok' })).toEqual(['pass'])
  expect(asked(rules, { url: '/?token=ok&token=bad' })).toEqual(['r'])
})

test('letter case counts if the document says so', async () => {
  const rules = await compiled(`
version: 1
name: test
caseSensitive: true
rules:
  - { id: r, when: { path: /Api }, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url: '/Api/' })).toEqual(['r'])
  expect(asked(rules, { url: '/api' })).toEqual(['pass'])
})

test('an exemption needs the very route that the framework states, and a limit its route in any letter case', async () => {
  const rules = await compiledRules(`
  - { id: free, when: { route: '/Free/:id' }, then: allow }
  - { id: others, when: { route: { present: true, not: /open } }, limit: 1, window: 1m }
  - { id: free-too, when: { route: '/Free/:id' }, limit: 1, window: 1m }`)
  expect(asked(rules, { route: '/Free/:id' })).toEqual(['pass'])
  expect(asked(rules, { route: '/free/:id' })).toEqual(['others', 'free-too'])
  expect(asked(rules, { route: '/open' })).toEqual(['pass'])
  expect(asked(rules, { route: '/OPEN' })).toEqual(['others'])
})
