// One of several processes that spend units of one key ahead. It receives its task as JSON, and writes the moments of what it allows to a file as it goes, because it
// may be killed.
import { shiftClock } from '../app/shifted-clock.js'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { openSync, writeSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  spendAhead,
  type AheadCounts,
  type AsyncStore,
  type DecisionEvent,
} from '@sluice/core'
import { randomFrom } from '@sluice/test-kit/random'
import { connect, type Shared } from '../exactness/servers.js'
import { replayed } from './policies.js'

export interface Task {
  readonly policy: string
  readonly server: Shared
  /** The moments by the server's clock, as pairs of 64-bit numbers: the earliest and the latest one of each allowed request. */
  readonly file: string
  /** How far the clock of this process is ahead of that of the server, in milliseconds. */
  readonly aheadMs: number
  readonly seed: number
}

/** The most requests that begin together. */
const mostAtOnce = 200

const [, , text] = process.argv
const task: Task = JSON.parse(text)
const { policies, keys } = replayed[task.policy]
const random = randomFrom(task.seed)
const log = openSync(task.file, 'a')
let moments: number[] = []

/** Both run on one machine, so that this is the clock of the server. */
const serverNow = (): number => Date.now() - task.aheadMs
/** The time of the last call or answer. A decision ahead follows it at once, unless the machine stops this process for a while. */
let turnAt = serverNow()

const { store: bare, disconnect } = connect(task.server, 1000)
/** The store under `spendAhead` decides about single units itself: these have the moment of its answer. */
const observed: AsyncStore = {
  ...bare,
  async run(requests) {
    const answers = await bare.run(requests)
    turnAt = serverNow()
    requests.forEach((request, i) => {
      const answer = answers[i]
      if (request.verb !== 'consume' || request.cost !== 1) return
      if (!('allowed' in answer) || !answer.allowed) return
      const times = answer.states.map(({ now }) => now)
      moments.push(Math.min(...times), Math.max(...times))
    })
    return answers
  },
}
const store = spendAhead(observed)

subscribe('sluice:decision', (message) => {
  const { source, allowed } = (message as DecisionEvent).decision
  if (allowed && source === 'ahead') moments.push(turnAt, serverNow())
})

shiftClock(task.aheadMs)
const limiter = createLimiter({ name: task.policy, policies, store, onStoreError: 'deny' })
process.send?.('ready')
const [until] = await once(process, 'message')
while (serverNow() < until) {
  const count = Math.ceil(random() * mostAtOnce)
  await Promise.all(
    Array.from({ length: count }, () => {
      turnAt = serverNow()
      return limiter.consume(keys)
    }),
  )
  await delay(random() < 0.2 ? 100 * random() : 3 * random())
  writeSync(log, new Float64Array(moments))
  moments = []
}
const counts: AheadCounts = store.ahead()
process.send?.(counts)
await disconnect()
process.disconnect()
