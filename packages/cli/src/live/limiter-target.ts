import type { Limiter, PolicyStatus, Status } from '@sluice/core'
import { isPromise } from '@sluice/core/internal'
import { seenStatus } from '@sluice/dashboard/internal'
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
  /** The limiters by their names. A limiter can have several places, of which the application counts in one. */
  readonly limiters: ReadonlyMap<string, readonly KnownLimiter[]>
  /** The names of the policies that the command concerns; empty: all. */
  readonly policies: readonly string[]
  /** Lists the counted keys of limiters. Undefined if the store cannot be searched. */
  readonly scan: ((limiters: readonly string[]) => AsyncIterable<ScanStep>) | undefined
  close(): void
}

/** Reads and changes counts by the methods of limiters. */
export function limiterTarget({ limiters, policies, scan, close }: LimiterTargetOptions): Target {
  /** The counts in each place that has some; in all places if none has. */
  async function countsOf(name: string, key: KeyArgument): Promise<readonly Counts[]> {
    const known = limiters.get(name)
    if (known === undefined) throw new Error(`there is no limiter "${name}"`)
    const all = await Promise.all(
      known.map(async ({ limiter, callsFor }) => {
        const calls = await callsFor(key, policies)
        return { limiter, calls, state: await stateOf(limiter, key, calls) }
      }),
    )
    const counted = all.filter(({ state }) => state.isCounted)
    return counted.length === 0 ? all : counted
  }

  async function status(name: string, key: KeyArgument): Promise<KeyState> {
    const [{ state }] = await countsOf(name, key)
    return state
  }

  /** Undefined for a key that no rule counts, or that another program has written. */
  async function stateOfFound({ limiter, text }: FoundKey): Promise<KeyState | undefined> {
    const key = keyIn(text)
    return key === undefined ? undefined : status(limiter, key)
  }

  return {
    limiters: [...limiters.keys()],
    isMasked: false,
    status,
    async act(name, key, act) {
      // A limiter whose store does not answer would change counts that no other process sees: it fails here.
      const before = await countsOf(name, key)
      if (before.some(({ calls }) => calls.length === 0))
        throw new Error(notCounted(name, key.text))
      for (const { limiter, calls } of before) await changeCounts(limiter, calls, act)
      const [{ limiter, calls, state }] = before
      return { ...(await stateOf(limiter, key, calls)), wasCounted: state.isCounted }
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

/** The counts of a key in one place. */
interface Counts {
  readonly limiter: Limiter
  readonly calls: readonly LimiterCall[]
  readonly state: KeyState
}

async function stateOf(
  limiter: Limiter,
  key: KeyArgument,
  calls: readonly LimiterCall[],
): Promise<KeyState> {
  const states = await Promise.all(calls.map(async (call) => policiesOf(limiter, call)))
  return {
    limiter: limiter.name,
    key: key.text,
    isCounted: states.some(({ isCounted }) => isCounted),
    policies: states.flatMap(({ policies }) => policies),
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
): Promise<Pick<KeyState, 'isCounted' | 'policies'>> {
  const status = limiter.status(keys, options)
  assertShared(limiter.name, status)
  const { source, policies, seen } = await seenStatus(limiter, keys, options, status)
  if (source !== 'store') throw new Error(`the store of "${limiter.name}" does not answer`)
  return {
    isCounted: seen.size > 0,
    policies: Object.entries(policies).map(([name, counts]) =>
      stateIn(name, variants[name], counts),
    ),
  }
}

function stateIn(name: string, variant: string | undefined, counts: PolicyStatus): PolicyState {
  const { used, limit, remaining, resetMs, blockedMs, exemptMs, granted } = counts
  return {
    name,
    ...(variant === undefined ? {} : { variant }),
    used,
    limit: finite(limit),
    remaining: finite(remaining),
    resetMs,
    blockedMs,
    exemptMs,
    ...(granted !== undefined && { granted }),
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
