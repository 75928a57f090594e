import { expect, test } from 'vitest'
import { asked, compiledRules, findingsOf, head } from '../../compiled.js'

test.each([
  ['/a/:id/**', '/a/1', true],
  ['/a/:id/**', '/a/1/b/c', true],
  ['/a/:id/**', '/a', false],
  ['/caf\u00e9', '/caf%c3%a9', true],
  ['/a/%2A', '/a/*', true],
  ['/a/\\*', '/a/%2a', true],
  ['/a/\\{id\\}', '/a/{id}', true],
  ['/a/:rest*', '/a', true],
  ['/a/:rest*', '/a/b/c', true],
  ['/a/:rest+', '/a', false],
  ['/a/:rest+', '/a/b/c', true],
  ['/files/:name.png', '/files/a.png', true],
  ['/files/:name.png', '/files/.png', true],
  ['/files/:a-:b', '/files/x-', true],
  ['/files/:a-:b', '/files/-y', true],
  ['/files/:a-:b', '/files/x', false],
  ['/:a.:b/c/v:d', '/./c/v', true],
  ['/files/\\:a-:b', '/files/:a-', true],
  ['/files/\\:a-:b', '/files/-x', false],
  ['/files/:name.png', '/files/a.gif', false],
  ['/a/**', '/a', true],
  ['/a b', '/a%20b', true],
  ['/a/:id?', '/a', true],
  ['/a%3Fb', '/a%3fb', true],
  ['/a%3Ab', '/a:b', true],
  ['/a\\:b', '/A%3ab', true],
  ['/a%252F', '/a%252f', true],
  ['/a%252F', '/a%2F', false],
  ['/a%2F:id', '/A%2fb', true],
  ['/a%2F:id', '/a/b', false],
  ['/**', '/', true],
  ['/', '/?x', true],
  ['/', '/x', false],
])('the pattern %s and the path %s: %s', async (path, url, expected) => {
  const rules = await compiledRules(
    `  - { id: r, when: { path: ${JSON.stringify(path)} }, key: [], limit: 1, window: 1m }`,
  )
  expect(asked(rules, { url })).toEqual([expected ? 'r' : 'pass'])
})

test('a pattern has no query', async () => {
  const rule = `  - { id: r, when: { path: '/search?q=a' }, limit: 1, window: 1m }`
  expect(await findingsOf(`${head}\nrules:\n${rule}`)).toMatchObject([
    { code: 'SLUICE_RULES_PATTERN' },
  ])
})
