import { sluiceError } from './errors.js'
import { isRecord } from './options/predicates.js'
import {
  duration,
  factor,
  longestMs,
  oneOf,
  optional,
  readOptions,
  type Duration,
  type OptionReader,
} from './options/readers.js'

/** A limit as frozen plain data, made by a builder. One policy can serve many limiters. */
export interface Policy {
  /** The name of the builder. */
  readonly kind: string
  readonly block?: Block
}

/** Blocks a key for a time after it has reached or exceeded a limit. */
export interface BlockOptions {
  /** How long the block lasts. Denials while it lasts do not extend it. */
  readonly for: Duration
  /**
   * The request that starts the block: the allowed one that takes the last unit (`reached`), or the first denied one (`exceeded`).
   *
   * @default 'reached'
   */
  readonly on?: 'reached' | 'exceeded' | undefined
  /**
   * The factor by which each further block is longer. After an unblocked time as long as the last block, the next block has the first length again.
   *
   * @default 1
   */
  readonly escalate?: number | undefined
  /**
   * The longest length of an escalated block.
   *
   * @default ten years
   */
  readonly max?: Duration | undefined
}

/** The option that every policy with a limit takes. */
export interface Blocking {
  /** Blocks a key that has reached or exceeded the limit. */
  readonly block?: BlockOptions | undefined
}

/** A block with its durations in milliseconds and its defaults. */
export interface Block {
  readonly for: number
  readonly on: 'reached' | 'exceeded'
  readonly escalate: number
  readonly max: number
}

export function isPolicy(value: unknown): value is Policy {
  return isRecord(value) && typeof value['kind'] === 'string'
}

/** Policies as a record: a single policy has the name "default". */
export function namedPolicies(
  policies: Policy | Readonly<Record<string, Policy>>,
): Readonly<Record<string, Policy>> {
  return isPolicy(policies) ? { default: policies } : policies
}

/** The option `block` that every policy takes. */
export const blockOption: OptionReader<Block | undefined> = {
  expected: `an object such as { for: '10m' }`,
  read(value) {
    if (typeof value !== 'object' || value === null) return undefined
    const block = readOptions('block', value, {
      for: duration,
      on: optional(oneOf('reached', 'exceeded'), 'reached'),
      escalate: optional(factor, 1),
      max: optional(duration, longestMs),
    })
    if (block.max >= block.for) return block
    const expected = `at least the block's own ${block.for} ms`
    throw sluiceError('SLUICE_OPTION_INVALID', 'block', 'max', block.max, expected)
  },
  default: undefined,
}
