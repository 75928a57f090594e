import { afterEach, beforeEach, expect, test } from 'vitest'
import { compileRules, type ParsedRules } from '../../../dist/index.js'
import { parseRules } from '../../../dist/compile/parse.js'
import { namesOfFiles, parsedText } from '../../../dist/loading/reading/read-large.js'
import { checkFunctions } from '../../../dist/loading/reading/value-functions.js'
import { readInThread } from '../../../dist/loading/reading/reader.js'
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
  expect(await resultOf(async () => compileRules(await parsedText(text)))).toEqual(here)
  expect(threads).toBe(1)
})

test('a thread finds a function without a value, and a required value without a function is an error here', async () => {
  const text = textOf(`${head}\nvalues: { user: string }\nrules:\n${filling}`)
  const warningsWith = async (parsed: ParsedRules): Promise<unknown> => {
    checkFunctions(parsed, ['user', 'plan'])
    return resultOf(async () => compileRules(parsed))
  }
  const here = await warningsWith(parseRules(text))
  expect(here).toMatchObject({ warnings: [{ code: 'SLUICE_RULES_FUNCTION_UNKNOWN', line: 3 }] })
  expect(await warningsWith(await parsedText(text, ['user', 'plan']))).toEqual(here)
  const without = await parsedText(text, [])
  expect(() => checkFunctions(without, [])).toThrow('"user"')
})

test('a small document is read without a thread', async () => {
  const text = textOf(`${head}\nrules: [${rule}]`)
  expect((await parsedText(text)).rules.length).toBe(1)
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
  const [, text] = documents[0]
  await expect(readInThread({ ...text }, 'compiled', { limitMs: 1 })).rejects.toThrow(
    'to read it takes longer than 1 ms',
  )
})

test('a signal ends the thread with its reason', async () => {
  const controller = new AbortController()
  const [, { text }] = documents[0]
  const names = namesOfFiles({ text, format: 'yaml' }, controller.signal)
  controller.abort(new Error('the rules were closed'))
  await expect(names).rejects.toThrow('the rules were closed')
})
