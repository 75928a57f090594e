import { contenderCalled } from '../memory/contenders.js'
import { fastestOf } from '../memory/contender.js'
import { freshKeys } from '../memory/keys.js'
import { serve } from '../processes/serve.js'

// What one decision in memory allocates: how far the heap grows while nothing is collected. So few decisions are counted that they do not fill
// the young generation, if that is as large as this process is told to make it.

const contender = contenderCalled(process.argv[2])
const keyCount = 1000
const slice = 5000
const limits = { limit: 1e8, windowMs: 3_600_000, keys: keyCount }
const decide = fastestOf(await contender.open(limits))
const numbers = Array.from({ length: slice }, (_, i) => i % keyCount)
const keys = freshKeys(keyCount).of(numbers)

// Code that is not compiled yet allocates more, and so does the compiler.
for (let i = 0; i < 80; i++) await decide(keys, 0, slice)

serve(async () => {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const allowed = decide(keys, 0, slice)
  if (typeof allowed !== 'number') await allowed
  return { bytes: (process.memoryUsage().heapUsed - before) / slice }
})
