import { frameworks } from '../http/contenders.js'
import { microsecondsOf } from './in-process.js'
import { inTurnsOf } from './turns.js'

// Measures the CPU time of a request with each limiter of one framework, all in this process. The command line has the framework.

inTurnsOf(async (setup) => {
  const contenders = await frameworks[process.argv[2]]()
  return Promise.all(
    contenders.map(async (contender) => {
      const listener = await contender.listener(setup)
      return {
        name: contender.name,
        measure: async (requests: number) => microsecondsOf(listener, requests),
      }
    }),
  )
})
