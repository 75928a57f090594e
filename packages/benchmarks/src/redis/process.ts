import { Redis } from 'ioredis'
import { called } from '../processes/called.js'
import { keyCount, serveLoads } from '../processes/serve-loads.js'
import { contenders } from './contenders/index.js'
import { ahead, hotLoad, loads, threePolicies } from './loads.js'

// Measures one contender over one connection. The command line has its name, the server's port and the name of a variant, if it is one.

const [, , name, port, variant] = process.argv
const contender = called(contenders, name)
const client = new Redis(Number(port), '127.0.0.1')
const openings = new Map([
  [threePolicies, contender.openThree],
  [ahead, contender.openAhead],
])
const decide = await (openings.get(variant) ?? contender.open)(client)
const numbers = Array.from({ length: hotLoad.decisions }, (_, i) => i % keyCount)
serveLoads([...loads, hotLoad], numbers, decide)
