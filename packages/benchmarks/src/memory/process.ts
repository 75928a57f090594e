import { subscribe } from 'node:diagnostics_channel'
import { called } from '../processes/called.js'
import { serve } from '../processes/serve.js'
import { fastestOf, type Decider, type Limits } from './contender.js'
import { contenders } from './contenders.js'
import { freshKeys, zipf } from './keys.js'
import { useEverything } from './mixed-use.js'
import { nanosecondsOf } from './timing.js'
import { isVariant } from './variants.js'

// Measures one contender. The command line has its name and the variant.

const [, , name, variant] = process.argv
if (!isVariant(variant)) throw new Error(`there is no variant ${variant}`)
const keyCount = 100_000
const insertedKeys = 20_000
const zipfSlice = 50_000
const hotSlice = 100_000
const atMostMs = 60
const generous: Limits = { limit: 1e8, windowMs: 3_600_000, keys: keyCount }

if (variant === 'after mixed use') await useEverything()
let observed = 0
if (variant === 'with a subscriber') {
  subscribe('sluice:decision', () => {
    observed++
  })
}
const contender = called(contenders, name)
const manyKeys = await open(generous)
const oneKey = await open(generous)
// Only the times of allowed requests are compared for three policies.
const usedUp =
  variant === 'three policies' ? undefined : await contender.open({ ...generous, limit: 1 })

const keys = freshKeys(keyCount)
const draws = zipf(keyCount, 8 * zipfSlice)
await fastestOf(manyKeys)(keys.of(Array(keyCount).keys()), 0, keyCount)
const hot = Array<string>(hotSlice).fill('user:hot')
if (usedUp !== undefined) await fastestOf(usedUp)(hot, 0, 1)

let drawn = 0
serve(async () => {
  const found: [figure: string, nanoseconds: number][] = []
  for (const way of ['called', 'awaited'] as const) {
    if (manyKeys[way] === undefined) continue
    const measure = async (decider: Decider, asked: readonly string[], expected: boolean) => {
      // Collects what the preparation of this measurement and the one before have left.
      globalThis.gc?.()
      return nanosecondsOf(decider[way] ?? decider.awaited, asked, expected, atMostMs)
    }
    found.push(
      [`zipf ${way}`, await measure(manyKeys, arriving(), true)],
      [`hot ${way}`, await measure(oneKey, hot, true)],
    )
    if (usedUp === undefined) continue
    found.push([`denied ${way}`, await measure(usedUp, hot, false)])
    const empty = await open({ ...generous, keys: insertedKeys })
    const unseen = keys.of(Array(insertedKeys).keys())
    found.push([`insert ${way}`, await measure(empty, unseen, true)])
    await empty.close?.(unseen)
  }
  if (variant === 'with a subscriber' && observed === 0) throw new Error('no decision was observed')
  return Object.fromEntries(found)
})

async function open(limits: Limits): Promise<Decider> {
  if (variant !== 'three policies') return contender.open(limits)
  if (contender.openThree === undefined) throw new Error(`${name} has no three policies`)
  return contender.openThree(limits)
}

function arriving(): readonly string[] {
  drawn = (drawn + zipfSlice) % draws.length
  return keys.of(draws.subarray(drawn, drawn + zipfSlice))
}
