import { simulate } from '@sluice/cli/simulate'
import { slidingWindow } from '@sluice/core'
import type { Reading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'

// Replays a log once, against as many variants as the work says. The command line has the log.

const [log] = process.argv.slice(2)

serve(async (work): Promise<Reading> => {
  const variants = Object.fromEntries(
    Array.from({ length: Number(work) }, (_, i) => [
      `${i}`,
      { policies: slidingWindow({ limit: 100 - i, window: '1m' }) },
    ]),
  )
  const cpu = process.cpuUsage()
  const started = performance.now()
  const { log: read } = await simulate({ log, variants })
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: (read.lines * 1000) / (performance.now() - started),
    cpuMicroseconds: (user + system) / read.lines,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }
})
