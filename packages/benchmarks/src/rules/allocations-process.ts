import { compileRules, parsedOf } from '@sluice/rules'
import { serve } from '../processes/serve.js'
import { byAction, byPath } from './documents.js'

// Measures the bytes that one judgement allocates: the growth of the heap without a garbage collection.

const [, , fields, size] = process.argv
const { document, requests } = (fields === 'path' ? byPath : byAction)(Number(size))
const rules = await compileRules(parsedOf(document))
const slice = 5000

function judgeSlice(): void {
  for (let i = 0; i < slice; i++) void rules.judge(requests[i % requests.length], 0)
}

// Code that is not optimized yet allocates more, and so does the compiler.
for (let i = 0; i < 80; i++) judgeSlice()

serve(() => {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  judgeSlice()
  return { bytes: (process.memoryUsage().heapUsed - before) / slice }
})
