import { expect, test } from 'vitest'
import { asked, compiled, findingsOf } from '../compiled.js'

/** A document with a list in a file, and a rule for values within it. */
function listed(kind: 'address' | 'text', field: string): string {
  return `version: 1
name: test
lists: { l: { kind: ${kind}, file: l.txt } }
rules: [{ id: r, when: { ${field}: { in: $l } }, key: [], limit: 1, window: 1m }]`
}

test('a file has one entry per line, without comments, spaces and a mark of the byte order', async () => {
  const files = { 'l.txt': '\uFEFFfirst\r\n  spaced out \r\n\r\n# nothing\na#b\nc # d\n\te' }
  const rules = await compiled(listed('text', 'header.x'), { files })
  const found = [
    'first',
    'spaced out',
    'a#b',
    'c',
    'e',
    'a',
    'c # d',
    '\uFEFFfirst',
    '# nothing',
    'First',
  ].filter((x) => asked(rules, { headers: { x } })[0] === 'r')
  expect(found).toEqual(['first', 'spaced out', 'a#b', 'c', 'e'])
})

test('a mistake in a file has its line', async () => {
  const files = { 'l.txt': '10.0.0.1\n\n# one\n10.0.0.300\n10.0.0.2\n10.0.0.0/33' }
  const findings = await findingsOf(listed('address', 'ip'), { files })
  expect(findings.map(({ path, line, column, code }) => [path, line, column, code])).toEqual([
    ['l.txt', 4, 1, 'SLUICE_RULES_LIST_ENTRY'],
    ['l.txt', 6, 1, 'SLUICE_RULES_LIST_ENTRY'],
  ])
})

test('an entry of a document must not be empty', async () => {
  const text = listed('text', 'header.x').replace('file: l.txt', "entries: [a, '']")
  expect(await findingsOf(text)).toMatchObject([
    { code: 'SLUICE_RULES_LIST_ENTRY', path: 'lists.l.entries[1]' },
  ])
})

test.each([1, 999, 1000, 1001, 2500, 3000, 5200])(
  'each of %i addresses in any order is found, and no other',
  async (count) => {
    // Every second address, in an order that is neither ascending nor descending.
    const addressOf = (i: number): string => `10.${i >> 15}.${(i >> 7) & 255}.${(i & 127) * 2}`
    const order = Array.from({ length: count }, (_, i) => (i * 7919) % count)
    const files = { 'l.txt': order.map(addressOf).join('\n') }
    const rules = await compiled(listed('address', 'ip'), { files })
    const isFound = (ip: string): boolean => asked(rules, { ip })[0] === 'r'
    const entries = Array.from({ length: count }, (_, i) => addressOf(i))
    expect(entries.filter((ip) => !isFound(ip))).toEqual([])
    expect([addressOf(count), '10.0.0.1', '9.255.255.255'].filter(isFound)).toEqual([])
  },
)

test('the entries of a text list are spelled as the field that is compared with them', async () => {
  const document = (field: string): string =>
    listed('text', field).replace('file: l.txt', 'entries: [Api.Example, /Admin]')
  const byHost = await compiled(document('host'))
  expect(['api.example', 'API.EXAMPLE:80', 'other'].map((host) => asked(byHost, { host }))).toEqual(
    [['r'], ['r'], ['pass']],
  )
  const byPath = await compiled(document('path'))
  expect(['/admin', '/ADMIN/', '/a'].map((url) => asked(byPath, { url }))).toEqual([
    ['r'],
    ['r'],
    ['pass'],
  ])
  const byHeader = await compiled(document('header.x'))
  expect(['Api.Example', 'api.example'].map((x) => asked(byHeader, { headers: { x } }))).toEqual([
    ['r'],
    ['pass'],
  ])
})
