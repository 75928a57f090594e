import { sluiceError } from './errors.js'
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

/** What is allowed: frozen plain data, made by a builder. The same policy can serve many limiters. */
export interface Policy {
  /** The builder's name. */
  readonly kind: string
  readonly block?: Block
}

/** Shuts a key out for a while once it has reached or exceeded a limit. */
export interface BlockOptions {
  /** How long the block lasts. Denials while it lasts do not extend it. */
  readonly for: Duration
  /**
   * What starts it: the admitted request that takes the last unit, or the first one that is denied.
   *
   * @default 'reached'
   */
  readonly on?: 'reached' | 'exceeded'
  /**
   * Each further block lasts this many times as long as the one before. It starts over after an unblocked time as long as the last block.
   *
   * @default 1
   */
  readonly escalate?: number
  /**
   * The longest that an escalated block lasts.
   *
   * @default ten years
   */
  readonly max?: Duration
}

export interface Block {
  readonly for: number
  readonly on: 'reached' | 'exceeded'
  readonly escalate: number
  readonly max: number
}

export function isPolicy(value: unknown): value is Policy {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
  )
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

/** A policy as builders return it: frozen, and without a block where it has none. */
export function policyOf<P extends Policy>(policy: P, block: Block | undefined): P {
  return Object.freeze(block === undefined ? policy : { ...policy, block: Object.freeze(block) })
}
