import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  redisStore,
  type AsyncStore,
  type Source,
  type SupportedClient,
} from '@sluice/core'
import type { AppSpec, Command } from './app/app.js'
import { startApp, type AppProcess } from './app/app-process.js'
import type { ClientSpec } from './app/client.js'
import { keys, policyOf, routes, type Algorithm } from './app/limits.js'
import { startLoad, type Load } from './load.js'
import { moment, watchStalls } from './moments.js'
import type { Emptied, Phase, Recorded } from './record.js'
import { backWithinMs, judge, type Figures } from './judge.js'

/** The functions for playing a fault: they cause events and define the expectations. */
export interface Scene {
  /** Stops something at the end of the scene, in reverse order. */
  own<T extends { stop(): Promise<unknown> }>(thing: T): T
  /** Starts the application and its clients. */
  begin(client: ClientSpec, app?: Partial<AppSpec>): Promise<void>
  /**
   * Starts a process of the application for each of these algorithms, and clients that send requests to all of them. Its decisions have a long
   * deadline, because the start of several processes takes a busy machine some time.
   */
  beginVersions(client: ClientSpec, algorithms: readonly Algorithm[]): Promise<void>
  /**
   * Begins a phase with the sources that may decide, for all keys or for each key. For `settlesMs`, the sources of the previous phase may decide
   * as well.
   */
  now(phase: string, sources: Sources, settlesMs?: number): void
  /** Redis is available again. The store must decide again within a second plus `clientMs`, the client's own waiting time. */
  back(clientMs?: number): void
  /** Continues the traffic for some time. */
  pass(ms: number): Promise<void>
  tell(command: Command): Promise<void>
  /** Redis has lost the counts of all keys, or of these. */
  emptied(keys?: readonly string[]): void
  /** As `emptied`, while Redis keeps running: the requests in flight may belong to the time before or after the loss. */
  empties(act: () => Promise<unknown>): Promise<void>
  /** The replies in flight are lost. Redis may have counted their requests, and may count them again if the client resends them. */
  repliesLost(): void
  /** As `repliesLost`, and the replica may not have received the last writes of the master. */
  mastersLost(): void
  /** Ends the traffic and reads the counts, of Redis by a client. */
  count(reader: SupportedClient | AsyncStore, keys?: readonly string[]): Promise<void>
}

type Sources = Source | readonly Source[] | Phase['sources']

/** One fault for one client. */
export interface Row {
  readonly fault: string
  readonly client: string
  /** The longest time for which the client itself keeps the process busy, so that nothing else runs. 0 by default. */
  readonly busyMs?: number
  play(scene: Scene): Promise<void>
}

const usual = {
  onStoreError: 'local',
  connect: 'before',
  algorithm: 'fixedWindow',
  timeoutMs: 250,
} as const

/** The longest time until a replica on the same machine has received a write. */
const lagMs = 100

const loadStalls = watchStalls()

/** Plays a fault and judges the result. Everything that it has started is stopped, even after an error. */
export async function play(row: Row): Promise<Figures> {
  const owned: { stop(): Promise<unknown> }[] = []
  const phases: Phase[] = []
  const emptied: Emptied[] = []
  const apps: AppProcess[] = []
  const algorithms = new Set<Algorithm>()
  let load: Load | undefined
  let unknown = 0
  let forgettable = 0
  let counted: Recorded['counted']
  let broken: string | undefined
  const errors: string[] = []

  function own<T extends { stop(): Promise<unknown> }>(thing: T): T {
    owned.push(thing)
    return thing
  }

  async function start(spec: AppSpec): Promise<void> {
    apps.push(own(await startApp(spec)))
    algorithms.add(spec.algorithm)
  }

  function phase(name: string, sources: Sources, settlesMs: number, isReturn: boolean): void {
    phases.push({ name, from: moment(), sources: bySource(sources), settlesMs, isReturn })
  }

  function answeredSince(from: number): number {
    return (load?.answers ?? []).filter(({ end }) => end >= from).length
  }

  function inFlight(): number {
    return load?.pending() ?? 0
  }

  const scene: Scene = {
    own,
    async begin(client, given = {}) {
      await start({ ...usual, client, ...given })
      load = own(startLoad(apps.map(({ port }) => port)))
    },
    async beginVersions(client, chosen) {
      for (const algorithm of chosen)
        await start({ ...usual, client, algorithm, timeoutMs: 10_000 })
      load = own(startLoad(apps.map(({ port }) => port)))
    },
    now: (name, sources, settlesMs = 0) => phase(name, sources, settlesMs, false),
    back: (clientMs = 0) => phase('back', 'store', backWithinMs + clientMs, true),
    pass: (ms) => delay(ms),
    async tell(command) {
      for (const app of apps) await app.tell(command)
    },
    emptied(lost = keys) {
      const at = moment()
      emptied.push({ at, until: at, keys: lost })
    },
    async empties(act) {
      const from = moment()
      await act()
      emptied.push({ at: from, until: moment(), keys })
      forgettable += answeredSince(from) + inFlight()
      unknown += answeredSince(from) + inFlight()
    },
    repliesLost() {
      unknown += inFlight()
    },
    mastersLost() {
      scene.repliesLost()
      forgettable += answeredSince(moment() - lagMs)
    },
    async count(reader, known = keys) {
      await load?.stop()
      // A late unit is refunded within another round trip.
      await delay(300)
      const units = new Map<string, number>()
      for (const key of known) units.set(key, await unitsOf(reader, key, algorithms))
      counted = { units, unknown, forgettable }
    },
  }

  const appStalls: Recorded['appStalls'][number][] = []
  try {
    await row.play(scene)
    await load?.stop()
    for (const app of apps) {
      const report = await app.tell({ do: 'report' })
      appStalls.push(...report.stalls)
      errors.push(...Object.entries(report.errors).map(([error, n]) => `${error} (${n} times)`))
    }
  } catch (error) {
    broken = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const answers = load?.answers ?? []
  for (const app of apps) broken = app.ended() ?? broken
  for (const thing of owned.toReversed()) await thing.stop()
  return judge({
    busyMs: row.busyMs ?? 0,
    phases,
    answers,
    appStalls,
    loadStalls,
    counted,
    emptied,
    broken,
    errors,
  })
}

function bySource(sources: Sources): Phase['sources'] {
  if (typeof sources === 'function') return sources
  const list = typeof sources === 'string' ? [sources] : sources
  return () => list
}

/** The units of all versions of the application. */
async function unitsOf(
  reader: SupportedClient | AsyncStore,
  key: string,
  algorithms: Iterable<Algorithm>,
): Promise<number> {
  const store = 'run' in reader ? reader : redisStore(reader, { timeout: '10s' })
  let units = 0
  for (const name of routes) {
    const limiter = createLimiter({ name, policies: policyOf('fixedWindow', name), store })
    for (const algorithm of algorithms) {
      const choice = { policies: policyOf(algorithm, name) }
      const { policies: status } = await limiter.status(key, choice)
      units += status['default'].used
    }
  }
  return units
}
