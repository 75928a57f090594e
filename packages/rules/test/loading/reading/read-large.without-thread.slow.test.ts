import { expect, test } from 'vitest'
import { compileRules, parseRules } from '../../../src/index.js'
import { parsedText } from '../../../src/loading/reading/read-large.js'
import { documents, resultOf } from './documents.js'

// The sources do not contain the compiled program of the thread, like a bundle without it.

test.each(documents)('if no thread can be started, %s is read without one', async (_what, text) => {
  const here = await resultOf(async () => compileRules(parseRules(text)))
  expect(await resultOf(async () => compileRules(await parsedText(text)))).toEqual(here)
})
