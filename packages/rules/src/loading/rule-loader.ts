import type { RuleSet } from '../compile/rule-set.js'
import type { RuleStats } from '../compile/stats.js'
import type { RulesText } from '../document/syntax.js'
import {
  RulesError,
  rulesError,
  rulesErrorFrom,
  type Finding,
  type RulesErrorCode,
} from '../errors.js'
import { reasonOf } from '../errors/quoting.js'
import { changesBetween, publish, warnOfStale, type RulesEvent } from './events.js'
import type { Keeper } from './keep.js'
import { createRefresher } from './refresh.js'
import type { RulesContent, RuleSource } from './sources/rule-source.js'

/** Makes a rule set of a document. A rule of the previous set keeps its counters. */
export type Compile = (
  text: RulesText,
  stats: ReadonlyMap<string, RuleStats> | undefined,
) => Promise<RuleSet>

/** The reason why the current rules are not those of the source, as data: `JSON.stringify` contains all of it. */
export interface StaleReason {
  readonly code: RulesErrorCode
  readonly message: string
  /** The mistakes of the document with their positions. Empty if the source cannot be read. */
  readonly findings: readonly Finding[]
}

/** The version and the origin of the current rules, as data. */
export interface RulesState {
  /** The version of the current rules: the first 16 hexadecimal digits of a SHA-256 of the document and its files. */
  readonly version: string
  readonly loadedAt: Date
  /** Probable mistakes in the document, which is valid. */
  readonly warnings: readonly Finding[]
  /**
   * `source`: the source. `keep`: the last valid document, because the source could not be read at the start. `replace`: a document that the
   * application passed.
   */
  readonly from: 'source' | 'keep' | 'replace'
  /** The reason why the current rules are not those of the source; undefined if they are. */
  readonly stale: StaleReason | undefined
}

/** Holds the current rules, and replaces them. */
export interface RuleLoader {
  /** The rules of this moment. A request reads it once. */
  readonly current: RuleSet
  state(): RulesState
  reload(): Promise<void>
  replace(text: RulesText): Promise<void>
  close(): void
}

interface Loaded {
  readonly set: RuleSet
  readonly loadedAt: Date
  readonly from: RulesState['from']
}

/**
 * Loads the first rules, and follows the source after that.
 *
 * @throws RulesError if the first rules cannot be loaded
 */
export async function createRuleLoader(
  source: RuleSource,
  compile: Compile,
  keeper: Keeper | undefined,
): Promise<RuleLoader> {
  let loaded: Loaded | undefined
  /** The version that was read last, also if it was rejected: an unchanged mistake is compiled once. */
  let seen: string | undefined
  const unreadable = createFailures((error) => tell('source-failed', error))
  const rejected = createFailures((error) => tell('rejected', error))
  const refresher = createRefresher(source, { known: () => seen, receive, fail: unreadable.add })

  async function receive(content: RulesContent | undefined): Promise<void> {
    // A file that is being written is empty for a moment.
    if (content?.text.trim() === '') {
      const error = rulesError('SLUICE_RULES_SOURCE_FAILED', source.location, 'it is empty')
      unreadable.add(error)
      throw error
    }
    unreadable.clear()
    if (content === undefined) return
    seen = content.version
    await use(content, 'source').catch(reject)
    await keeper?.write(content)
  }

  function reject(error: unknown): never {
    if (error instanceof RulesError) rejected.add(error)
    throw error
  }

  async function use(content: RulesText, from: RulesState['from']): Promise<Loaded> {
    const before = loaded?.set
    const set = await compile(content, before?.stats).catch(failCompile)
    assertSameName(before, set)
    loaded = { set, from, loadedAt: new Date() }
    rejected.clear()
    const { name, version, warnings } = set
    publish(() => {
      const changes = changesBetween(before, set)
      return { name, state: 'loaded', version, error: undefined, changes, warnings }
    })
    return loaded
  }

  function tell(state: RulesEvent['state'], error: RulesError): void {
    const { name, version } = loaded?.set ?? {}
    publish(() => ({ name, state, version, error, changes: undefined, warnings: [] }))
    // Before the first document, the error rejects instead.
    if (name !== undefined) warnOfStale(name, error)
  }

  async function loadFirst(): Promise<Loaded> {
    try {
      await refresher.refresh()
    } catch (error) {
      const kept = unreadable.latest === undefined ? undefined : await keeper?.read()
      if (kept === undefined) throw error
      // If the copy cannot be used either, the failure of the source is the one to act on.
      const used = await use(kept, 'keep').catch(() => Promise.reject(error))
      if (unreadable.latest !== undefined) warnOfStale(used.set.name, unreadable.latest)
      return used
    }
    if (loaded !== undefined) return loaded
    throw rulesError('SLUICE_RULES_SOURCE_FAILED', source.location, 'it delivered no document')
  }

  const first = await loadFirst().catch((error: unknown) => {
    refresher.close()
    throw error
  })
  const latest = (): Loaded => loaded ?? first
  refresher.start()
  return {
    get current() {
      return latest().set
    },
    state() {
      const { set, from, loadedAt } = latest()
      const { version, warnings } = set
      const stale = staleReason(unreadable.latest ?? rejected.latest)
      return { version, loadedAt, from, warnings, stale }
    },
    reload: refresher.refresh,
    replace: (text) =>
      refresher.inTurn(async () => {
        await use(text, 'replace')
      }),
    close: refresher.close,
  }
}

function staleReason(error: RulesError | undefined): StaleReason | undefined {
  if (error === undefined) return undefined
  const { code, message, findings = [] } = error
  return { code, message, findings }
}

function failCompile(error: unknown): never {
  if (error instanceof RulesError) throw error
  throw rulesErrorFrom(error, 'SLUICE_RULES_COMPILE_FAILED', reasonOf(error))
}

/** Counts belong to the name, so another name would lose all of them. */
function assertSameName(before: RuleSet | undefined, { name }: RuleSet): void {
  if (before === undefined || name === before.name) return
  throw rulesError('SLUICE_RULES_NAME_CHANGED', before.name, name)
}

/** The reasons why the current rules are not those of the source. Each distinct failure is published once, until it is over. */
interface Failures {
  readonly latest: RulesError | undefined
  add(error: RulesError): void
  clear(): void
}

/** A failure whose message changes each time must not exhaust the memory. */
const mostTold = 100

export function createFailures(tell: (error: RulesError) => void): Failures {
  const told = new Set<string>()
  let latest: RulesError | undefined
  return {
    get latest() {
      return latest
    },
    add(error) {
      latest = error
      const failure = `${error.code} ${error.message}`
      if (told.has(failure) || told.size >= mostTold) return
      told.add(failure)
      tell(error)
    },
    clear() {
      latest = undefined
      told.clear()
    },
  }
}
