import { frameworks } from '../http/contenders.js'
import { serve } from '../processes/serve.js'
import { inRounds, spreadOf } from '../rounds.js'
import { microsecondsOf } from './in-process.js'

// Measures the CPU time of a request with each limiter of one framework, all in this process, in turns of 500 requests. The command line has the
// framework, and the work is the number of turns of each limiter.

const setup = { limit: 1_000_000, windowMs: 2000 }
const requestsPerTurn = 500

const contenders = await frameworks[process.argv[2]]()
const listeners = await Promise.all(
  contenders.map(async (contender) => ({
    name: contender.name,
    listener: await contender.listener(setup),
  })),
)

serve(async (turns) => {
  const found = await inRounds(listeners, Number(turns), async ({ listener }) =>
    microsecondsOf(listener, requestsPerTurn),
  )
  // The median, because a turn with a garbage collection takes longer, and has no share in what the limiter of the turn does.
  return Object.fromEntries([...found].map(([{ name }, times]) => [name, spreadOf(times).median]))
})
