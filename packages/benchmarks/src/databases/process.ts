import { freshKeys, zipf } from '../memory/keys.js'
import { serve } from '../processes/serve.js'
import { inFlight } from '../redis/in-flight.js'
import { loads } from './loads.js'

// Measures one contender. The command line has the database, the name of the contender, and the address or the file. The work is the name of a load and
// the number of decisions.

const [, , database, name, target] = process.argv
const contenders =
  database === 'postgres'
    ? (await import('./postgres.js')).postgresContenders
    : (await import('./sqlite.js')).sqliteContenders()
const contender = contenders.find((each) => each.name === name)
if (contender === undefined) throw new Error(`there is no contender ${name}`)
const decide = await contender.open(target)

const spreadOver = 10_000
const keys = freshKeys(spreadOver)
const most = Math.max(...loads.map(({ decisions }) => decisions))
const drawn = zipf(spreadOver, most)

serve(async (work) => {
  const [loadName, decisions] = work.split(' of ')
  const load = loads.find((each) => each.name === loadName)
  if (load === undefined) throw new Error(`there is no load ${work}`)
  const numbers = drawn.subarray(0, Number(decisions)).map((number) => (load.isHot ? 0 : number))
  return inFlight(decide, keys.of(numbers), load.inFlight)
})
