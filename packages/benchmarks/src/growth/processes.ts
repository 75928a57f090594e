import { startContender } from '../processes/contender-process.js'
import { serve } from '../processes/serve.js'

// Runs several processes of one line at once and adds their results. The command line has their number and then the arguments of each.

const [count, ...args] = process.argv.slice(2)
const program = new URL('./process.js', import.meta.url)
const all = Array.from({ length: Number(count) }, () => startContender(program, { args }))

serve(async (work) => {
  const readings = await Promise.all(all.map(async (one) => one.measure(work)))
  return { perSecond: readings.reduce((sum, reading) => sum + reading['perSecond'], 0) }
})
