import { expect, test } from 'vitest'
import { filesOf, loadRules, parsedOf, parseRules, staticSource } from '../../src/index.js'

const document = 'version: 1\nname: a\nrules: [{ id: a, then: deny }]\n'

function versionOf(text: string, files: readonly (readonly [string, string])[] = []): string {
  return parseRules({ text, format: 'yaml', files: new Map(files) }).version
}

test('the version depends on the text and on the files, and not on the order of the files', () => {
  const one = versionOf(document, [
    ['a.txt', '1'],
    ['b.txt', '2'],
  ])
  const others = [
    versionOf(document),
    versionOf(`${document}\n`, [
      ['a.txt', '1'],
      ['b.txt', '2'],
    ]),
    versionOf(document, [
      ['a.txt', '1'],
      ['b.txt', '3'],
    ]),
    versionOf(document, [
      ['a.txt', '2'],
      ['b.txt', '1'],
    ]),
    versionOf(document, [['a.txt', '1b.txt2']]),
  ]
  expect(new Set([one, ...others]).size).toBe(6)
  expect(one).toMatch(/^[\da-f]{16}$/)
  expect(
    versionOf(document, [
      ['b.txt', '2'],
      ['a.txt', '1'],
    ]),
  ).toBe(one)
})

test('the files of a document are those of its lists, each once', () => {
  const text = `lists:
  a: { kind: text, file: a.txt }
  b: { kind: address, file: b.txt }
  c: { kind: text, entries: [c.txt] }
  d: { kind: text, file: a.txt }
rules:
  - { id: t, file: other.txt }`
  expect(filesOf(text, 'yaml')).toEqual(['a.txt', 'b.txt'])
  expect(filesOf('{"lists": {"a": {"file": "a.txt"}}}', 'json')).toEqual(['a.txt'])
})

test('10,000 rules are not too many, and a text of 10 MB is not too long', () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({ id: `r${i}`, then: 'deny' as const }))
  expect(parsedOf({ version: 1, name: 'a', rules }).document.rules).toHaveLength(10_000)
  const text = `${document}# ${'x'.repeat(10 * 1024 * 1024 - document.length - 2)}`
  expect(text).toHaveLength(10 * 1024 * 1024)
  expect(versionOf(text)).toMatch(/^[\da-f]{16}$/)
})

test('an absent document is invalid, as a source and in place of the rules', async () => {
  const error = {
    code: 'SLUICE_RULES_INVALID',
    message:
      'rules: one mistake in the document.\n  this is undefined. Write a document: a text in YAML, or an object.',
  }
  const absent = undefined as never
  expect(() => staticSource(absent)).toThrow(expect.objectContaining(error))
  const rules = await loadRules({ source: staticSource(document) })
  await expect(rules.replace(absent)).rejects.toMatchObject(error)
  rules.close()
})

test('an object that has no JSON is invalid, as text and as a source', () => {
  const cyclic: Record<string, unknown> = { a: 1 }
  cyclic['self'] = cyclic
  for (const body of [5n, cyclic]) {
    const rules = [{ id: 'a', then: { deny: { body } } }]
    // As from JavaScript.
    const wrong: never = Object.assign({ version: 1, name: 'a', rules }) as never
    for (const read of [() => parsedOf(wrong), () => staticSource(wrong)]) {
      expect(read).toThrow(
        expect.objectContaining({
          code: 'SLUICE_RULES_INVALID',
          findings: [expect.objectContaining({ code: 'SLUICE_RULES_SYNTAX' })],
        }),
      )
    }
  }
})
