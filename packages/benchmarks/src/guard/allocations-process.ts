import { contenderCalled } from '../memory/contenders.js'
import { fastestOf } from '../memory/contender.js'
import { freshKeys } from '../memory/keys.js'
import { serve } from '../processes/serve.js'

// Measures the bytes that one decision in memory allocates: the growth of the heap without a garbage collection. The decisions are few enough
// to fit into the young generation with the size that the parent process sets.

const contender = contenderCalled(process.argv[2])
const keyCount = 1000
const slice = 5000
const limits = { limit: 1e8, windowMs: 3_600_000, keys: keyCount }
const decide = fastestOf(await contender.open(limits))
const numbers = Array.from({ length: slice }, (_, i) => i % keyCount)
const keys = freshKeys(keyCount).of(numbers)

// Code that is not optimized yet allocates more, and so does the compiler.
for (let i = 0; i < 80; i++) await decide(keys, 0, slice)

serve(async () => {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const allowed = decide(keys, 0, slice)
  if (typeof allowed !== 'number') await allowed
  return { bytes: (process.memoryUsage().heapUsed - before) / slice }
})
