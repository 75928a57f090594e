// Reloads rules with a clock that moves by a millisecond at each look, and prints how often the reload has looked at it, in all and in one turn of the event loop.
import { loadRules, pollSource } from '@sluice/rules'

let threads = 0
process.on('worker', () => threads++)

function documentOf(turn) {
  const rules = Array.from(
    { length: 10_000 },
    (_, i) =>
      `  - id: r${i}\n    note: turn ${turn}\n    when: { path: '/v${i}/items/**', method: [GET, POST] }\n    limit: 100\n    window: 1m`,
  )
  return `version: 1\nname: api\nrules:\n${rules.join('\n')}\n`
}

const looks = { now: 0, inTurn: 0, most: 0 }
performance.now = function look() {
  if (looks.inTurn === 0) setImmediate(() => (looks.inTurn = 0))
  looks.inTurn++
  looks.most = Math.max(looks.most, looks.inTurn)
  return looks.now++
}
let turn = 0
const rules = await loadRules({ source: pollSource(() => documentOf(turn)) })
turn++
Object.assign(looks, { now: 0, most: 0 })
await rules.reload()
const { now, most } = looks
const { length } = rules.current.document.rules
process.stdout.write(JSON.stringify({ looks: now, most, threads, length }))
