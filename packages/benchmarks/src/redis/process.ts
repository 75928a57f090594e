import { Redis } from 'ioredis'
import { freshKeys } from '../memory/keys.js'
import { serve } from '../processes/serve.js'
import { contenderCalled } from './contenders/index.js'
import { inFlight } from './in-flight.js'
import { ahead, hotLoad, loads, threePolicies } from './loads.js'

// Measures one contender over one connection. The command line has its name, the server's port and, if it is to have three policies, the
// name of that variant. The work is the name of a load and the number of decisions.

const [, , name, port, variant] = process.argv
const contender = contenderCalled(name)
const client = new Redis(Number(port), '127.0.0.1')
const openings = new Map([
  [threePolicies, contender.openThree],
  [ahead, contender.openAhead],
])
const decide = await (openings.get(variant) ?? contender.open)(client)

const spreadOver = 10_000
const keys = freshKeys(spreadOver)

serve(async (work) => {
  const [loadName, decisions] = work.split(' of ')
  const load = [...loads, hotLoad].find((each) => each.name === loadName)
  if (load === undefined) throw new Error(`there is no load ${work}`)
  const numbers = Array.from({ length: Number(decisions) }, (_, i) =>
    load.isHot ? 0 : i % spreadOver,
  )
  return inFlight(decide, keys.of(numbers), load.inFlight)
})
