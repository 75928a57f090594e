import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { fastestOf } from '../memory/contender.js'
import { createRandom, freshKeys } from '../memory/keys.js'
import { nanosecondsOf } from '../memory/timing.js'
import { serve } from '../processes/serve.js'
import { inFlight } from '../redis/in-flight.js'
import { subjectOf, windowMs, type Subject } from './subject.js'

// Measures one line of a plot at one tick. Without a port it counts in memory.

const { values: option } = parseArgs({
  options: {
    line: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    keys: { type: 'string', default: '1000' },
    policies: { type: 'string', default: '1' },
    limit: { type: 'string', default: '100000000' },
    events: { type: 'string', default: '1' },
    slice: { type: 'string', default: '20000' },
    port: { type: 'string' },
    'in-flight': { type: 'string', default: '512' },
  },
})
const keyCount = Number(option.keys)
const slice = Number(option.slice)
const size = {
  name: option.name,
  keys: keyCount,
  policies: Number(option.policies),
  limit: Number(option.limit),
}
const client = option.port === undefined ? undefined : new Redis(Number(option.port), '127.0.0.1')
const subject = await subjectOf(option.line, size, client)
const keys = freshKeys(keyCount)
await fill(subject, Number(option.events))

const random = createRandom()
serve(async () => {
  const numbers = Array.from({ length: slice }, () => Math.floor(random() * keyCount))
  const arriving = keys.of(numbers)
  const { decider } = subject
  if (client !== undefined) {
    return inFlight(decider.decide, arriving, Number(option['in-flight']))
  }
  return { nanoseconds: await nanosecondsOf(fastestOf(decider), arriving, true) }
})

/** Gives each key a number of events in the past, all at different times. */
async function fill({ decider, at = () => decider }: Subject, events: number): Promise<void> {
  const now = Date.now()
  for (let event = 0; event < events; event++) {
    const then = events === 1 ? decider : at(now - windowMs / 2 + (event * windowMs) / 2 / events)
    for (let from = 0; from < keyCount; from += 1000) {
      const some = keys.of(range(from, Math.min(from + 1000, keyCount)))
      if (client === undefined) await fastestOf(then)(some, 0, some.length)
      else await Promise.all(some.map(async (key) => then.decide(key)))
    }
  }
}

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i < to; i++) yield i
}
