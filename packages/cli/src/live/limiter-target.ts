import type { Limiter, PolicyStatus, Status } from '@sluice/core'
import { isPromise } from '@sluice/core/internal'
import { readKey, type KeyArgument } from '../reading/key-text.js'
import { changeCounts } from './change-counts.js'
import type { KnownLimiter, LimiterCall } from './known-limiter.js'
import type { FoundKey, ScanStep } from './scan.js'
import {
  isBlocked,
  notCounted,
  type KeyState,
  type PolicyState,
  type SearchStep,
  type Target,
} from './target.js'

export interface LimiterTargetOptions {
  readonly limiters: ReadonlyMap<string, KnownLimiter>
  /** The names of the policies that the command concerns; empty: all. */
  readonly policies: readonly string[]
  /** Lists the counted keys of limiters. Undefined if the store cannot be searched. */
  readonly scan: ((limiters: readonly string[]) => AsyncIterable<ScanStep>) | undefined
  close(): void
}

/** Reads and changes counts by the methods of limiters. */
export function limiterTarget({ limiters, policies, scan, close }: LimiterTargetOptions): Target {
  function known(name: string): KnownLimiter {
    const one = limiters.get(name)
    if (one === undefined) throw new Error(`there is no limiter "${name}"`)
    return one
  }

  async function callsOf(name: string, key: KeyArgument): Promise<readonly LimiterCall[]> {
    return known(name).callsFor(key, policies)
  }

  async function stateOf(
    name: string,
    key: KeyArgument,
    calls: readonly LimiterCall[],
  ): Promise<KeyState> {
    const { limiter } = known(name)
    const states = await Promise.all(calls.map(async (call) => policiesOf(limiter, call)))
    return { limiter: name, key: key.text, policies: states.flat() }
  }

  /** Undefined for a key that no rule counts, or that another program has written. */
  async function stateOfFound({ limiter, text }: FoundKey): Promise<KeyState | undefined> {
    const key = keyIn(text)
    if (key === undefined) return undefined
    return stateOf(limiter, key, await callsOf(limiter, key))
  }

  return {
    limiters: [...limiters.keys()],
    isMasked: false,
    async status(name, key) {
      return stateOf(name, key, await callsOf(name, key))
    },
    async act(name, key, act) {
      const { limiter } = known(name)
      const calls = await callsOf(name, key)
      if (calls.length === 0) throw new Error(notCounted(name, key.text))
      // A limiter whose store does not answer would change counts that no other process sees.
      await stateOf(name, key, calls)
      await changeCounts(limiter, calls, act)
      return stateOf(name, key, calls)
    },
    async *search(names): AsyncGenerator<SearchStep> {
      if (scan === undefined) throw new Error('a search needs --redis or --url')
      for await (const { found, read, total } of scan(names)) {
        const states = await Promise.all(found.map(stateOfFound))
        const blocked = states.flatMap((state) =>
          state !== undefined && isBlocked(state) ? [state] : [],
        )
        yield { blocked, keys: found.length, read, total }
      }
    },
    close,
  }
}

function keyIn(text: string): KeyArgument | undefined {
  try {
    return readKey(text, true)
  } catch {
    return undefined
  }
}

async function policiesOf(
  limiter: Limiter,
  { keys, options, variants }: LimiterCall,
): Promise<readonly PolicyState[]> {
  const status = limiter.status(keys, options)
  assertShared(limiter.name, status)
  const { source, policies } = await status
  if (source !== 'store') throw new Error(`the store of "${limiter.name}" does not answer`)
  return Object.entries(policies).map(([name, counts]) => stateIn(name, variants[name], counts))
}

function stateIn(name: string, variant: string | undefined, counts: PolicyStatus): PolicyState {
  const { used, limit, remaining, resetMs, blockedMs } = counts
  // The status of an older copy of the core has no exemptions.
  const exemptMs: unknown = Reflect.get(counts, 'exemptMs')
  return {
    name,
    ...(variant === undefined ? {} : { variant }),
    used,
    limit: finite(limit),
    remaining: finite(remaining),
    resetMs,
    blockedMs,
    exemptMs: typeof exemptMs === 'number' ? exemptMs : 0,
  }
}

/** Only a memory store answers at once, and it is that of this process. */
function assertShared(name: string, status: Status | Promise<Status>): void {
  if (isPromise(status)) return
  throw new Error(
    `the limiter "${name}" keeps its counts in the memory of the application, which no other process can read. Use --url with the application's dashboard, or export the options of the limiter and state --redis`,
  )
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
