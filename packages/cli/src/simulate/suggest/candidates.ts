import type { Policy } from '@sluice/core'
import { createReplay, type Replay } from '@sluice/core/replay'
import type { LogRecord } from '../cut/record.js'
import type { KeyReader } from '../keys.js'
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
  const candidates = policies.map(
    (policy) => new Candidate(createReplay({ policies: policy, clock: () => now })),
  )
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
  readonly #consume: Replay['consume']

  constructor({ consume }: Replay) {
    this.#consume = consume
  }

  get keysDenied(): number {
    return this.#keysDenied.size
  }

  decide(key: string, number: number): void {
    if (this.#consume(key, 1)) return
    this.denied++
    this.#keysDenied.add(number)
  }
}
