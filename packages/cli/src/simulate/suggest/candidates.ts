import type { Limiter, MemoryStore, Policy } from '@sluice/core'
import type { LogRecord } from '../cut/record.js'
import type { KeyReader } from '../keys.js'
import { replayOf } from '../policy-replay.js'
import type { Sample } from '../sample.js'
import { KeySet } from '../tally/key-set.js'
import { KeyTable } from '../tally/key-table.js'
import type { Effect } from './target.js'

/** Replays requests against many policies, and counts only their denials. */
export interface Candidates {
  push(record: LogRecord): void
  effects(): readonly Effect[]
}

export function createCandidates(
  key: KeyReader,
  sample: Sample,
  policies: readonly Policy[],
): Candidates {
  let now = 0
  let asked = 0
  const keys = new KeyTable()
  const candidates = policies.map((policy) => new Candidate(replayOf(policy, () => now).limiter))
  return {
    push(record) {
      const text = key.read(record)
      if (text === undefined || !sample.has(text)) return
      now = record.at
      asked++
      const number = keys.add(text)
      for (let i = 0; i < candidates.length; i++) candidates[i].decide(text, number)
    },
    effects: () =>
      candidates.map(({ denied, keysDenied }) => ({ asked, denied, keys: keys.size, keysDenied })),
  }
}

class Candidate {
  denied = 0
  readonly #keysDenied = new KeySet()
  readonly #limiter: Limiter<MemoryStore>

  constructor(limiter: Limiter<MemoryStore>) {
    this.#limiter = limiter
  }

  get keysDenied(): number {
    return this.#keysDenied.size
  }

  decide(key: string, number: number): void {
    if (this.#limiter.consume(key).allowed) return
    this.denied++
    this.#keysDenied.add(number)
  }
}
