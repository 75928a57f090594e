import { Redis } from 'ioredis'
import { freshKeys } from '../memory/keys.js'
import { serve } from '../processes/serve.js'
import { contenderCalled } from './contenders.js'
import { inFlight } from './in-flight.js'

// A contender over one connection. Its name and the server's port stand on the command line; the work says what kind of traffic, and how much.

const contender = contenderCalled(process.argv[2])
const client = new Redis(Number(process.argv[3]), '127.0.0.1')
const decide = await contender.open(client)

const spreadOver = 10_000
const keys = freshKeys(spreadOver)

serve(async (work) => {
  const [traffic, decisions] = work.split(' ')
  const numbers = Array.from({ length: Number(decisions) }, (_, i) => i % spreadOver)
  const arriving = keys.of(traffic === 'hot' ? numbers.fill(0) : numbers)
  return inFlight(decide, arriving, traffic === 'alone' ? 1 : 512)
})
