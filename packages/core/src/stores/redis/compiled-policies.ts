import { hasLeases } from '../../algorithms/kind.js'
import clusterSlot from 'cluster-key-slot'
import { createServerClock, type ServerClock } from '../../clock.js'
import { sluiceError } from '../../errors.js'
import { redisKeys, stateName } from '../../keys.js'
import {
  isDecision,
  type LimiterPolicy,
  type DecisionRequest,
  type StoreRequest,
} from '../store.js'
import { scriptOf, type Script } from './scripts.js'
import { decisionScript, type DecisionShape } from './script/decision.js'
import type { PolicyShape } from './script/policy.js'

/** The most policies of a request: with more, a script has more instructions than Lua allows. */
export const mostPolicies = 64

/** The most scripts that a store makes for new lists of policies. Redis keeps each script until it restarts. */
const mostScripts = 256

/** A list of policies with its script: one for requests with one key, another for requests with a key for each policy. */
export interface CompiledPolicies {
  readonly script: Script
  readonly policies: readonly LimiterPolicy[]
  /** The number of keys of the script: 1, or one for each policy. */
  readonly keyCount: number
  readonly keyOf: (key: string) => string
  readonly hasLeases: boolean
  readonly hasRecords: boolean
  /** Its targets, by their slots. */
  readonly targets: Map<number, Target>
  /** The number of cells of each row in the reply. */
  readonly widths: readonly number[]
  /** The arguments before those of the requests. They depend on the time only if a policy does. */
  argsAt(now: number): readonly string[]
  /** Those of them that depend on the time. */
  datedArgsAt(now: number): readonly string[]
}

/** Where requests are sent. Requests of one target may share a call: they have one script or none and, on a Cluster, one slot. */
export interface Target {
  /** Undefined if each request is sent in a call of its own, with the script of the other verbs. */
  readonly compiled: CompiledPolicies | undefined
  /** The clock of the server. Slots of a Cluster are on several servers. */
  readonly clock: ServerClock
}

/** Undefined if the keys are in several slots, because a script can use the keys of one slot only. Such a request is sent alone, in no order. */
export type TargetOf = (request: StoreRequest) => Target | undefined

export interface Targets {
  readonly targetOf: TargetOf
  /** Returns the target of a request whose keys are in one slot. */
  targetAt(request: StoreRequest, slot: number): Target
  /** Returns a key's slot on a Cluster, 0 on a single server. */
  slotOf(key: string, request: StoreRequest): number
  /**
   * Compiles the script of the requests with one key, which most requests have.
   *
   * @throws SluiceError SLUICE_SCRIPTS_MANY
   */
  prepare(policies: readonly LimiterPolicy[]): void
}

/** Chooses the script and the slot of each request. */
export function createTargets(prefix: string, isCluster: boolean): Targets {
  const compiledFor = createCompiler(prefix)
  const clocks = new Map<number, ServerClock>()
  const ofChanges = new Map<number, Target>()

  function targetAt(request: StoreRequest, slot: number): Target {
    const compiled = isDecision(request) ? compiledFor(request) : undefined
    const targets = compiled === undefined ? ofChanges : compiled.targets
    let target = targets.get(slot)
    if (target === undefined) {
      const clock = clocks.get(slot) ?? createServerClock()
      clocks.set(slot, clock)
      target = { compiled, clock }
      targets.set(slot, target)
    }
    return target
  }

  function slotOf(key: string, { policies: [{ limiter }] }: StoreRequest): number {
    return isCluster ? clusterSlot(redisKeys(prefix, limiter)(key)) : 0
  }

  return {
    targetOf(request) {
      if (!isCluster) return targetAt(request, 0)
      const [slot, ...others] = new Set(request.keys.map((key) => slotOf(key, request)))
      return others.length > 0 ? undefined : targetAt(request, slot)
    },
    targetAt,
    slotOf,
    prepare: (policies) => void compiledFor({ policies, keys: [], cost: 1 }, mostScripts),
  }
}

/** Compiles each list of policies once for each form of its requests: with one key or several, and with one cost or several. */
function createCompiler(
  prefix: string,
): (
  request: Pick<DecisionRequest, 'policies' | 'keys' | 'cost'>,
  most?: number,
) => CompiledPolicies {
  const known = new WeakMap<readonly LimiterPolicy[], CompiledPolicies[]>()
  const scripts = new Map<string, Script>()

  function scriptFor(shape: DecisionShape, limiter: string, most: number): Script {
    const text = JSON.stringify(shape)
    const known = scripts.get(text)
    if (known !== undefined) return known
    if (scripts.size >= most) throw sluiceError('SLUICE_SCRIPTS_MANY', limiter, most)
    const script = scriptOf(decisionScript(shape))
    scripts.set(text, script)
    return script
  }

  function compile(
    policies: readonly LimiterPolicy[],
    hasKeys: boolean,
    hasCosts: boolean,
    most: number,
  ): CompiledPolicies {
    const [{ limiter }] = policies
    const shapes = policies.map((policy, i) => shapeOf(policy, hasKeys ? i + 1 : 1))
    const dated = policies.filter(({ steps }) => steps.isDated === true)
    const argsAt = (now: number) => policies.flatMap((policy) => argsOf(policy, now))
    const fixed = dated.length > 0 ? undefined : argsAt(0)
    return {
      script: scriptFor({ policies: shapes, hasCosts }, limiter, most),
      policies,
      keyCount: hasKeys ? policies.length : 1,
      keyOf: redisKeys(prefix, limiter),
      hasLeases: shapes.some((policy) => policy.hasLeases),
      hasRecords: shapes.some(({ recordKeyCount }) => recordKeyCount > 0),
      targets: new Map(),
      widths: shapes.map(({ times, counts, extras }) => times + counts + extras),
      argsAt: (now) => fixed ?? argsAt(now),
      datedArgsAt: (now) => dated.flatMap((policy) => paramsAt(policy, now)),
    }
  }

  return function compiledFor({ policies, keys, cost }, most = Infinity) {
    const forms = known.get(policies) ?? []
    known.set(policies, forms)
    const hasKeys = keys.some((key) => key !== keys[0])
    const hasCosts = typeof cost !== 'number'
    const form = (hasKeys ? 2 : 0) + (hasCosts ? 1 : 0)
    return (forms[form] ??= compile(policies, hasKeys, hasCosts, most))
  }
}

function shapeOf({ steps, params, block, keepsFirstRow }: LimiterPolicy, key: number): PolicyShape {
  const { times, counts, extras = 0 } = steps.size(params)
  return {
    id: steps.id,
    times,
    counts,
    extras,
    params: steps.args(params, 0).length,
    isDated: steps.isDated === true,
    persistsOnDenial: keepsFirstRow,
    blocksOn: block?.on,
    recordKeyCount: steps.records?.keys.length ?? 0,
    hasLeases: hasLeases({ steps }),
    key,
  }
}

function argsOf(policy: LimiterPolicy, now: number): readonly string[] {
  const { block } = policy
  const blockArgs = block === undefined ? [] : [block.for, block.escalate, block.max].map(String)
  return [...fieldsOf(policy), ...paramsAt(policy, now), ...blockArgs]
}

/** The fields of a policy: of its row, and of its block or exemption. Rows of another algorithm, or of another width, have another field. */
export function fieldsOf({
  name,
  steps,
  params,
}: LimiterPolicy): readonly [row: string, other: string] {
  const { times, counts } = steps.size(params)
  const form = steps.id > 127 ? `${steps.id}.${times + counts}` : `${steps.id}`
  return [`${stateName(name)}:${form}`, `${stateName(name)}:o`]
}

export function paramsAt({ steps, params }: LimiterPolicy, now: number): readonly string[] {
  return steps.args(params, now).map(String)
}
