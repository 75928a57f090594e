import { expect, test } from 'vitest'
import { compileRules, parseRules } from '../../../src/index.js'
import { withParsedRules } from '../../../src/loading/reading/read-large.js'
import { documents, resultOf } from './documents.js'

// The source has no program that a thread could run, as a bundle that lacks it.

test.each(documents)(
  'if no thread can be started, %s is read all the same',
  async (_what, text) => {
    const here = await resultOf(async () => compileRules(parseRules(text)))
    expect(await resultOf(() => withParsedRules(text, compileRules))).toEqual(here)
  },
)
