import { overLocals, type LocalNames, type PlainLua } from '../../../algorithms/plain-lua.js'
import { luaOf, plainLuaOf } from '../../../algorithms/scripts.js'

/** A policy with its number in the script, from 1 on, its arguments, and the texts of its steps. */
export interface NumberedPolicy extends PolicyShape {
  readonly n: number
  /** The number of the argument before its block numbers, and before its head. */
  readonly blockArg: number
  readonly headArg: number
  /** The variables of its cells: first those that are stored, then the extras. None, if they are too many. */
  readonly cells: readonly string[]
  readonly stored: readonly string[]
  /** The variable or the number of its cost. */
  readonly cost: string
  /** Whether its steps may raise an error. */
  readonly raises: boolean
  readonly declare: string
  look(cost: string): string
  readonly take: string
  /** Declares `ended` with the number of the policy. */
  readonly ends: string
}

/** The number of the first argument of each part, and of the first request. */
export interface NumberedPlan {
  readonly policies: readonly NumberedPolicy[]
  /** The number of the argument before the formats of each key with names. */
  readonly formatArgs: readonly number[]
  readonly requestArg: number
  readonly shape: PlanShape
}

/** Numbers the policies of a plan and their arguments, in the order in which the client sends them. */
export function numbered(shape: PlanShape): NumberedPlan {
  const { policies, hasCosts } = shape
  let arg = 2
  const params = policies.map((policy) => {
    arg += policy.params
    return arg - policy.params
  })
  const blocks = policies.map(({ blocksOn }) => {
    arg += blocksOn === undefined ? 0 : 3
    return arg - 3
  })
  const heads = policies.map(({ isNamed }) => {
    arg += isNamed ? 1 : 0
    return arg
  })
  const keys = new Set(policies.map(({ key }) => key))
  const formatArgs = [...keys].map((key) => {
    const isNamed = policies.some((policy) => policy.key === key && policy.isNamed)
    arg += isNamed ? 3 : 0
    return arg - 3
  })
  function number(policy: PolicyShape, i: number): NumberedPolicy {
    const n = i + 1
    const first = policies.findIndex(({ id }) => id === policy.id) + 1
    const cost = hasCosts ? `cost${n}` : 'cost'
    const plain = plainLuaOf(policy.id)
    const steps = plain
      ? overVariables(policy, plain, n, params[i], cost)
      : overTables(policy, n, first, params[i], cost)
    return { ...policy, n, blockArg: blocks[i], headArg: heads[i], cost, ...steps }
  }
  return { policies: policies.map(number), formatArgs, requestArg: arg + 1, shape }
}

type StepTexts = Pick<
  NumberedPolicy,
  'cells' | 'stored' | 'raises' | 'declare' | 'look' | 'take' | 'ends'
>

function overVariables(
  policy: PolicyShape,
  plain: PlainLua,
  n: number,
  arg: number,
  cost: string,
): StepTexts {
  const cells = list(widthOf(policy), (i) => `cell${n}_${i}`)
  const params = list(policy.params, (i) => `param${n}_${i}`)
  const names: LocalNames = {
    cell: (i) => `cell${n}_${i}`,
    param: (i) => `param${n}_${i}`,
    fits: `fits${n}`,
    ended: `ended${n}`,
    cost,
  }
  return {
    cells,
    stored: cells.slice(0, storedOf(policy)),
    raises: false,
    declare: `local ${params.join(', ')} = ${list(policy.params, (i) => `ARGV[${arg + i}] + 0`).join(', ')}
local ${cells.join(', ')} = ${cells.map(() => '0').join(', ')}`,
    look: (asked) => overLocals(plain.look, { ...names, cost: asked }),
    take: overLocals(plain.take, names),
    ends: `local ended${n}\n    ${overLocals(plain.ends, names)}`,
  }
}

/** `first`: the first policy of the same algorithm, which declares the steps. */
function overTables(
  policy: PolicyShape,
  n: number,
  first: number,
  arg: number,
  cost: string,
): StepTexts {
  const raises = policy.recordKeyCount > 0 || policy.isDated
  const cells = isWide(policy) ? [] : list(widthOf(policy), (i) => `row${n}[${i}]`)
  const steps = policy.recordKeyCount > 0 ? `bound${n}` : `steps${n}`
  const look = (asked: string) => `${steps}.look(row${n}, params${n}, now, ${asked})`
  return {
    cells,
    stored: cells.slice(0, storedOf(policy)),
    raises,
    declare: `local steps${n} = ${first < n ? `steps${first}` : luaOf(policy.id)}
local params${n} = { ${list(policy.params, (i) => `ARGV[${arg + i}] + 0`).join(', ')} }
local row${n} = { ${cells.map(() => '0').join(', ')} }`,
    look: (asked) =>
      raises
        ? `if not failure then
      local ok, result = pcall(${steps}.look, row${n}, params${n}, now, ${asked})
      if ok then fits${n} = result else failure = tostring(result) end
    end`
        : `fits${n} = ${look(asked)}`,
    take: raises
      ? `local ok, err = pcall(${steps}.take, row${n}, params${n}, now, ${cost})
        if not ok then failure = tostring(err) end`
      : `${steps}.take(row${n}, params${n}, now, ${cost})`,
    ends: `local ended${n} = steps${n}.ends(row${n}, params${n})`,
  }
}

/** The Lua table of a policy for `rest`. */
export function policyTable(policy: NumberedPolicy): string {
  const { n, id, times, counts, isNamed } = policy
  const name = isNamed ? `head${n}:sub(2, -3)` : `''`
  return `{ name = ${name}, id = ${id}, stored = ${storedOf(policy)}, times = ${times}, counts = ${counts} }`
}

/** Declares the bytes before a policy's cells in a state with names: the length of the name, the name, the id, and the number of cells. */
export function headOf(policy: NumberedPolicy): string {
  const { n, id, headArg, isHeadMade } = policy
  const bytes = `'\\${id}\\${widthByteOf(policy)}'`
  if (!isHeadMade) return `local head${n} = ARGV[${headArg}]`
  return `local head${n} = string.char(#ARGV[${headArg}]) .. ARGV[${headArg}] .. ${bytes}`
}

/** Sets some cells of a row to zero. */
export function setToZero(policy: NumberedPolicy, from: number, to: number): string {
  if (isWide(policy)) return `for i = ${from + 1}, ${to} do row${policy.n}[i] = 0 end`
  const cells = policy.cells.slice(from, to)
  return cells.length > 0 ? `${cells.join(', ')} = ${cells.map(() => '0').join(', ')}` : ''
}

export function list(length: number, item: (number: number) => string): string[] {
  return Array.from({ length }, (_, i) => item(i + 1))
}

export function lines<T>(items: readonly T[], line: (item: T, i: number) => string): string {
  return items.map(line).join('\n    ')
}

/** A policy as the script of a plan sees it: all that decides the text of the script, but no number of the policy. */
export interface PolicyShape {
  /** The id of the algorithm. */
  readonly id: number
  readonly times: number
  readonly counts: number
  readonly extras: number
  /** The number of params of its steps. */
  readonly params: number
  /** Whether the params depend on the time, so that the steps may reject it. */
  readonly isDated: boolean
  readonly persistsOnDenial: boolean
  /** When a block starts. */
  readonly blocksOn: 'reached' | 'exceeded' | undefined
  /** The number of the Redis keys of its records. */
  readonly recordKeyCount: number
  readonly hasLeases: boolean
  /** The number of the key that the policy counts. Policies with one key are neighbours. */
  readonly key: number
  /** Whether the state contains the policy's name: always, except for a state of one policy without a name. */
  readonly isNamed: boolean
  /** Whether the bytes before the cells are not all ASCII, so that a client would change them. */
  readonly isHeadMade: boolean
}

/** All that decides the text of a plan's script. */
export interface PlanShape {
  readonly policies: readonly PolicyShape[]
  /** Whether a request has a cost for each policy. */
  readonly hasCosts: boolean
}

/** More cells than this are not unrolled, because a Lua function has at most 200 local variables. */
const mostUnrolled = 16

export function storedOf({ times, counts }: Pick<PolicyShape, 'times' | 'counts'>): number {
  return times + counts
}

export function widthOf(policy: Pick<PolicyShape, 'times' | 'counts' | 'extras'>): number {
  return storedOf(policy) + policy.extras
}

export function isWide(policy: PolicyShape): boolean {
  return storedOf(policy) > mostUnrolled
}

/** The field of the number of cells in a row. */
function widthByteOf(policy: PolicyShape): number {
  return policy.id > 127 ? storedOf(policy) : 0
}

/**
 * Whether each request has its own keys, which are read and written for it alone. Otherwise a call has each key once, with all its requests. With records
 * each request has steps of its own.
 */
export function hasOwnKeys({ policies }: PlanShape): boolean {
  return policies.some(({ key, recordKeyCount }) => key > 1 || recordKeyCount > 0)
}

/** The possible sizes of a count in bytes. All counts of a state that a plan writes have the same size. */
export const sizes: readonly number[] = [2, 4, 7]

/** The format of a row's cells. */
export function formatOf(policy: Pick<PolicyShape, 'times' | 'counts'>, size: number): string {
  return 'I6'.repeat(policy.times) + `I${size}`.repeat(policy.counts)
}

export function lengthOf(policy: Pick<PolicyShape, 'times' | 'counts'>, size: number): number {
  return 6 * policy.times + size * policy.counts
}

/** The policies of each key. */
export function byKey<P extends PolicyShape>(policies: readonly P[]): readonly (readonly P[])[] {
  const keys = [...new Set(policies.map(({ key }) => key))]
  return keys.map((key) => policies.filter((policy) => policy.key === key))
}
