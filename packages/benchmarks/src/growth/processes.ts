import { startContender } from '../processes/contender-process.js'
import { serve } from '../processes/serve.js'

// Several processes of one line at once, and what they reach together. How many stands on the command line, and after it what each of them is told.

const [count, ...args] = process.argv.slice(2)
const program = new URL('./process.js', import.meta.url)
const all = Array.from({ length: Number(count) }, () => startContender(program, { args }))

serve(async (work) => {
  const readings = await Promise.all(all.map(async (one) => one.measure(work)))
  return { perSecond: readings.reduce((sum, reading) => sum + reading['perSecond'], 0) }
})
