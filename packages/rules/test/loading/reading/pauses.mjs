// Prints the longest time, in milliseconds, for which the event loop answers nothing: while rules are reloaded, and while the same text is read at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { compileRules, loadRules, parseRules, pollSource } from '@sluice/rules'

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

async function longestPause(work) {
  let longest = 0
  let last = performance.now()
  function look() {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  await sleep(20)
  longest = 0
  await work()
  await sleep(20)
  clearInterval(timer)
  return longest
}

let turn = 0
const rules = await loadRules({ source: pollSource(() => documentOf(turn)) })
const text = { text: documentOf(turn), format: 'yaml', files: new Map() }
const atOnce = await longestPause(async () => compileRules(parseRules(text)))
// Another program on the machine can stop this one during some of the reloads, but a fault would show in all of them.
let reload = Infinity
for (turn = 1; turn <= 6 && reload >= atOnce / 5; turn++) {
  reload = Math.min(reload, await longestPause(() => rules.reload()))
}
const { length } = rules.current.document.rules
process.stdout.write(JSON.stringify({ reload, atOnce, threads, loads: turn, length }))
