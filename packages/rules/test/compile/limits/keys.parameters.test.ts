import { describe, expect, test } from 'vitest'
import type { Facts } from '../../../src/index.js'
import { asked, compiled, compiledRules, keysOf } from '../../compiled.js'

const limited = 'key: [], limit: 1, window: 1m'

describe('a parameter in a key', () => {
  const rule = { when: { path: '/u/:id/**' }, key: 'param.id' }

  test.each<readonly [string, Facts, string]>([
    ['of a URL with one meaning', { url: '/u/Abc/x' }, 'abc'],
    ['before a path that climbs', { url: '/u/abc/../n' }, 'abc'],
    ['before a path that climbs in encodings', { url: '/u/abc/%2e%2E%2fn' }, 'abc'],
    ['with an encoded slash', { url: '/u/a%2Fb/x' }, 'a/b'],
    ['of routers that end the path at a semicolon and of others', { url: '/u/abc;1/x' }, 'abc'],
    ['that is empty for some router', { url: '/u//abc/x' }, 'abc'],
    ['that is empty', { url: '/u//' }, '\0'],
    ['with a backslash', { url: '/u/a\\b/x' }, 'a\\b'],
    ['with a backslash that is a slash for Express', { url: '/u/a\\b/x#' }, 'a'],
    ['that the router states', { url: '/u/abc;1/x', params: { id: 'abc;1' } }, 'abc;1'],
    [
      'that the router states by another name',
      { url: '/u/a//b', params: { x: '', '*': 'a' } },
      'a',
    ],
    ['that the router found empty', { url: '/u//abc/x', params: { id: '', '*': 'abc/x' } }, '\0'],
    ['that the router found in lower case only', { url: '/u/A;1', params: { id: 'A;1' } }, 'a;1'],
    ['that the router does not find in the URL', { url: '/u/a;1', params: { id: 'other' } }, 'a'],
    ['of a URL that can mean any path', { url: "/u/'/x#" }, '\0'],
    ['of such a URL that the router knows', { url: "/u/'/x#", params: { id: 'N' } }, 'n'],
    [
      'that is not UTF-8 for the router either',
      { url: '/u/%ff;1', params: { id: '%ff;1' } },
      '%ff;1',
    ],
  ])('%s', async (_what, facts, id) => {
    expect(await keysOf(rule, facts)).toEqual(['param.id', id])
  })

  test('that is an empty part of a segment is empty', async () => {
    const image = { when: { path: '/img/:name.png' }, key: 'param.name' }
    expect(await keysOf(image, { url: '/img/.png' })).toEqual(['param.name', '\0'])
    expect(await keysOf(image, { url: '/img/a.png' })).toEqual(['param.name', 'a'])
    // Fastify 4 ends here, too.
    expect(await keysOf(image, { url: '/img/' })).toEqual(['param.name', '\0'])
    expect(await keysOf(image, { url: '/img/?x' })).toEqual(['param.name', '\0'])
    expect(await keysOf(image, { url: '/img' })).toBe('pass')
    const parts = { when: { path: '/img/:name.png/x' }, key: 'param.name' }
    expect(await keysOf(parts, { url: '/img//x' })).toEqual(['param.name', '\0'])
    expect(await keysOf(parts, { url: '/img/x' })).toBe('pass')
  })

  test('of several segments is the list that Express 5 states', async () => {
    const facts = { url: '/u/a;x/b', params: { rest: ['a;x', 'b'] } }
    expect(await keysOf({ when: { path: '/u/:rest+' }, key: 'param.rest' }, facts)).toEqual([
      'param.rest',
      'a;x/b',
    ])
  })
})

test('a limit of one parameter applies if some server can read it', async () => {
  const rules = await compiledRules(`
  - { id: seven, when: { path: '/u/:id/**', param.id: '7' }, key: [], limit: 1, window: 1m }
  - { id: others, when: { path: '/u/:id/**', not: { param.id: '7' } }, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url: '/u/7/x' })).toEqual(['seven'])
  expect(asked(rules, { url: '/u/8/x' })).toEqual(['others'])
  expect(asked(rules, { url: '/u/8/../7' })).toEqual(['seven', 'others'])
  expect(asked(rules, { url: "/u/8'#" })).toEqual(['seven', 'others'])
})

test('a key by a parameter has a value for each meaning of the path', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { path: '/users/:id/posts' }, key: param.id, limit: 1, window: 1m }`,
  )
  for (const [url, id] of [
    ['/users/7/posts', '7'],
    ['/users/7;x/posts', '7'],
    ['/users/../posts', '..'],
    ['/users//posts', '\0'],
  ]) {
    expect(rules.judge({ url }, 0)).toMatchObject({ enforced: [{ keys: ['param.id', id] }] })
  }
})

test('a parameter keeps its name and its value in every spelling', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { path: '/Users/:userId/**' }, key: param.userId, limit: 1, window: 1m }`,
  )
  for (const url of ['/users/a@b', '/USERS/A%40B/x', '/users//a%40b']) {
    expect(rules.judge({ url }, 0)).toMatchObject({ enforced: [{ keys: ['param.userId', 'a@b'] }] })
  }
})

describe('a parameter with capital letters', () => {
  const rule = (when: string): string => `  - { id: r, when: ${when}, ${limited} }`
  const urls = ['/u/Ann', '/u/ann', '/u/ANN', '/U/%41nn', '/u/Ann/', '/u/Bob', '/u/BOT']

  test.each([
    ['{ path: "/u/:id", param.id: Ann }', urls.slice(0, 5)],
    ['{ path: "/u/:id", param.id: [ann, x] }', urls.slice(0, 5)],
    ['{ path: "/u/:id", param.id: { prefix: AN } }', urls.slice(0, 5)],
    ['{ path: "/u/:id", param.id: { matches: "^Ann$" } }', urls.slice(0, 5)],
    ['{ path: "/u/:id", param.id: { in: $words } }', ['/u/BOT']],
    ['{ path: "/u/:id", param.id: { not: Ann } }', urls.slice(1)],
    ['{ path: "/u/:id", not: { param.id: Ann } }', urls.slice(1)],
    ['{ path: "/u/:id", not: { not: { param.id: Ann } } }', urls.slice(0, 5)],
  ])(
    'is limited in any letter case by %s, and exempt from it only as written',
    async (when, limits) => {
      const rules = await compiledRules(rule(when))
      expect(urls.filter((url) => asked(rules, { url })[0] === 'r')).toEqual(limits)
    },
  )

  test.each([
    ['{ path: "/u/:id", param.id: Ann }', ['/u/Ann']],
    ['{ path: "/u/:id", param.id: { prefix: An } }', ['/u/Ann']],
    ['{ path: "/u/:id", param.id: { not: Ann } }', ['/u/Bob', '/u/BOT']],
    ['{ path: "/u/:id", not: { param.id: ann } }', ['/u/Bob', '/u/BOT']],
  ])('is exempt only as written by %s', async (when, exempt) => {
    const rules = await compiledRules(
      `  - { id: free, when: ${when}, then: allow }\n  - { id: all, ${limited} }`,
    )
    expect(urls.filter((url) => asked(rules, { url })[0] === 'pass')).toEqual(exempt)
  })

  test('is another one in another letter case, if paths are', async () => {
    const rules = await compiled(
      `version: 1\nname: n\ncaseSensitive: true\nrules:\n${rule('{ path: "/u/:id", param.id: Ann }')}`,
    )
    expect(urls.filter((url) => asked(rules, { url })[0] === 'r')).toEqual(['/u/Ann', '/u/Ann/'])
  })

  test('excludes other rules of its group only as written', async () => {
    const rules = await compiledRules(`
  - { id: ann, group: g, when: { path: '/u/:id', param.id: Ann }, ${limited} }
  - { id: others, group: g, ${limited} }`)
    expect(asked(rules, { url: '/u/Ann' })).toEqual(['ann'])
    expect(asked(rules, { url: '/u/ANN' })).toEqual(['ann', 'others'])
    expect(asked(rules, { url: '/u/Ann/' })).toEqual(['ann', 'others'])
    expect(asked(rules, { url: '/u/Bob' })).toEqual(['others'])
  })
})
