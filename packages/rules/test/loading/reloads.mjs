// Reloads rules again and again while requests are decided, and prints what the requests saw and how many documents stay in memory.
import { setImmediate } from 'node:timers/promises'
import { createRuleLimiter, loadRules, pollSource } from '@sluice/rules'

const [reloads, ruleCount] = process.argv.slice(2).map(Number)
let turn = 0

/** All rules of a document end with its number. Their limit is never reached. */
function documentOf(number) {
  const rules = Array.from(
    { length: ruleCount },
    (_, i) =>
      `  - { id: r${i}-${number}, count: r${i}, when: { user: [u${i}, all] }, key: user, limit: 1000000, window: 1m }`,
  )
  return `version: 1\nname: api\nvalues: { user: string }\nrules:\n${rules.join('\n')}\n`
}

const rules = await loadRules({ source: pollSource(() => documentOf(turn)) })
const limiter = createRuleLimiter({ rules })
/** The number of the document of each version, as the first decision of that version shows it. */
const numbers = new Map()
let decided = 0
let mixed = 0
const done = new AbortController()

async function decideAll() {
  while (!done.signal.aborted) {
    // The value comes later than the first look at the rules, so reloads happen within judgements.
    const context = { user: setImmediate('all') }
    const { applied, rules: version } = await limiter.consume(context)
    const found = new Set(applied.map((id) => Number(id.split('-')[1])))
    const [number] = found
    if (!numbers.has(version)) numbers.set(version, number)
    decided++
    if (found.size !== 1 || number !== numbers.get(version) || applied.length !== ruleCount) mixed++
  }
}

const documents = []

/** Reloads, and waits until a request was decided by the new document. */
async function reload() {
  turn++
  await rules.reload()
  documents.push(new WeakRef(rules.current))
  while (!numbers.has(rules.state().version)) await setImmediate()
}

const deciding = Array.from({ length: 4 }, decideAll)
while (numbers.size === 0) await setImmediate()
for (let i = 0; i < reloads; i++) await reload()
done.abort()
await Promise.all(deciding)
for (let i = 0; i < 3; i++) {
  await setImmediate()
  globalThis.gc()
}
const kept = documents.filter((document) => document.deref() !== undefined).length
const versions = new Set(numbers.values()).size
process.stdout.write(JSON.stringify({ decided, mixed, versions, kept }))
