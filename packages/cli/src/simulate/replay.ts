import type { LogRecord } from './log/record.js'
import { keyReader, type KeyReader } from './keys.js'
import type { NamedVariant, PolicyVariant } from './options.js'
import { Heap } from './log/heap.js'
import { replayOf, traitsOf, type PolicyReplay } from './policy-replay.js'
import type { Sample } from './sample.js'
import { KeyTable } from './tally/key-table.js'
import { Tally } from './tally/tally.js'
import type { Timeline } from './tally/timeline.js'
import { nameOf } from './variants.js'

/** Replays requests against variants with the same key. Each variant has its own store. */
export interface GroupReplay {
  readonly key: KeyReader
  readonly keys: KeyTable
  readonly variants: readonly VariantReplay[]
  /** The number of requests without this key. No variant limits them. */
  readonly unkeyed: number
  /** Replays the request at `record.at`. */
  push(record: LogRecord): void
}

export interface VariantReplay {
  readonly given: NamedPolicies
  readonly name: string
  readonly replay: PolicyReplay
  readonly tally: Tally
}

type NamedPolicies = Extract<NamedVariant, PolicyVariant>

/** Groups variants by their key, so that a key is read and counted only once. */
export function createGroups(
  given: readonly NamedVariant[],
  sample: Sample,
  timeline: Timeline,
): readonly GroupReplay[] {
  const byKey = new Map<string, NamedPolicies[]>()
  for (const variant of given) {
    if ('rules' in variant) continue
    const key = (variant.key ?? 'ip').trim()
    byKey.set(key, [...(byKey.get(key) ?? []), variant])
  }
  return [...byKey].map(([text, same]) => createGroup(keyReader(text), same, sample, timeline))
}

function createGroup(
  key: KeyReader,
  given: readonly NamedPolicies[],
  sample: Sample,
  timeline: Timeline,
): GroupReplay {
  let now = 0
  let unkeyed = 0
  const keys = new KeyTable()
  const variants = given.map((variant): Deciding => {
    const { name, policies, grants } = variant
    const replay = replayOf(policies, () => now)
    const kinds = Object.values(replay.policies)
    const decide = kinds.some((policy) => traitsOf(policy).hasLeases)
      ? withLeases(replay)
      : (key: string) => replay.limiter.consume(key).allowed
    return {
      given: variant,
      name: name ?? `${nameOf(replay.policies)}${grants === undefined ? '' : ' with grants'}`,
      replay,
      tally: new Tally(timeline),
      decide,
    }
  })

  /** A grant holds from the first request on. */
  function grantAll(): void {
    for (const { given: variant, replay } of variants) {
      for (const [key, units] of Object.entries(variant.grants ?? {})) {
        replay.limiter.grant(key, units, { for: '10y' })
      }
    }
  }

  function push(record: LogRecord): void {
    const text = key.read(record)
    if (text === undefined) {
      unkeyed++
      return
    }
    if (!sample.has(text)) return
    const isFirst = keys.size === 0
    now = record.at
    if (isFirst) grantAll()
    const number = keys.add(text)
    for (let i = 0; i < variants.length; i++) {
      const { tally, decide } = variants[i]
      tally.ask(now)
      if (!decide(text, record)) tally.deny(record, text, number, keys.ordinal)
    }
  }

  return {
    key,
    keys,
    variants,
    push,
    get unkeyed() {
      return unkeyed
    },
  }
}

interface Deciding extends VariantReplay {
  decide(key: string, record: LogRecord): boolean
}

/** Releases the lease of each request at its end. */
function withLeases({ limiter }: PolicyReplay): Deciding['decide'] {
  const ends = new Heap<() => void>()
  return function decide(key, record) {
    while (ends.least <= record.at) ends.pop()?.()
    const { allowed, lease } = limiter.consume(key)
    if (lease !== undefined) ends.push(record.at + (record.durationMs ?? 0), lease.release)
    return allowed
  }
}
