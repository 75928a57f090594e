import { afterEach, beforeEach, expect, test } from 'vitest'
import { compileRules } from '../../../dist/index.js'
import { parseRules } from '../../../dist/document/parse.js'
import { namesOfFiles, withParsedRules } from '../../../dist/loading/reading/read-large.js'
import { startReader } from '../../../dist/loading/reading/reader.js'
import { documents, filling, head, resultOf, rule, textOf } from './documents.js'

// The program of the thread is compiled JavaScript, so these tests use the built package.

let threads = 0
const count = (): number => threads++
beforeEach(() => {
  threads = 0
  process.on('worker', count)
})
afterEach(() => process.off('worker', count))

test.each(documents)('a thread finds in %s what parseRules finds', async (_what, text) => {
  const here = await resultOf(async () => compileRules(parseRules(text)))
  expect(await resultOf(() => withParsedRules(text, compileRules))).toEqual(here)
  expect(threads).toBe(1)
})

test('a small document is read without a thread', async () => {
  const text = textOf(`${head}\nrules: [${rule}]`)
  expect(await withParsedRules(text, async ({ rules }) => rules.length)).toBe(1)
  expect(threads).toBe(0)
})

test('a thread names the files of a large document', async () => {
  const { signal } = new AbortController()
  const lists = 'lists:\n  a: { kind: text, file: a.txt }\n  b: { kind: text, file: a.txt }'
  const text = `${head}\n${lists}\nrules:\n${filling}\n  - { id: o, overrides: { of: ip, file: o.csv } }`
  expect(await namesOfFiles({ text, format: 'yaml' }, signal)).toEqual(['a.txt', 'o.csv'])
  expect(threads).toBe(1)
})

test('a thread that takes too long is ended, with that reason', async () => {
  const [, { text }] = documents[0]
  const reader = await startReader({ text, format: 'yaml', result: 'document', limitMs: 1 })
  await expect(reader?.receive({}, () => undefined)).rejects.toThrow(
    'to read it takes longer than 1 ms',
  )
  reader?.end()
})

test('a signal ends the thread with its reason', async () => {
  const controller = new AbortController()
  const [, { text }] = documents[0]
  const names = namesOfFiles({ text, format: 'yaml' }, controller.signal)
  controller.abort(new Error('the rules were closed'))
  await expect(names).rejects.toThrow('the rules were closed')
})
