import { serve } from '../processes/serve.js'
import { contenderCalled } from './contenders.js'
import { allowedOf, type Limits } from './contender.js'
import { freshKeys, zipf } from './keys.js'
import { nanosecondsOf } from './timing.js'

// Three kinds of traffic for one contender, which is named on the command line.

const keyCount = 100_000
const slice = 200_000
const generous: Limits = { limit: 1e8, windowMs: 3_600_000, keys: keyCount }

const contender = contenderCalled(process.argv[2])
const many = await contender.open(generous)
const one = await contender.open(generous)
const none = await contender.open({ ...generous, limit: 1 })

const keys = freshKeys(keyCount)
const draws = zipf(keyCount, 8 * slice)
const everyKey = keys.of(Array(keyCount).keys())
await allowedOf(many, everyKey, 0, keyCount)
const hot = Array<string>(slice).fill('user:hot')
await allowedOf(none, hot, 0, 1)

let drawn = 0
serve(async () => {
  drawn = (drawn + slice) % draws.length
  const arriving = keys.of(draws.subarray(drawn, drawn + slice))
  // What was left by the last slice, and by making these keys, is nobody's.
  globalThis.gc?.()
  return {
    zipf: await nanosecondsOf(many, arriving, true),
    hot: await nanosecondsOf(one, hot, true),
    denied: await nanosecondsOf(none, hot, false),
  }
})
