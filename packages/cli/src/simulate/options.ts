import type { Readable } from 'node:stream'
import type { Policies } from '@sluice/core'
import type { RulesText } from '@sluice/rules'
import type { FormatOptions } from './log/format-options.js'
import type { ReadProgress } from './log/read.js'
import type { Table } from './rules/facts.js'
import type { ShortAlgorithm } from '@sluice/rules/check'

/** A log: the path of a file, several of them, or a stream. Each may be compressed with gzip. */
export type Log = string | readonly string[] | Readable

/** Options of `simulate`. */
export interface SimulateOptions extends FormatOptions {
  /** The log to replay. */
  readonly log: Log
  /** The limits to replay, by name. Each variant has its own counts. */
  readonly variants?: Readonly<Record<string, SimulatedVariant>>
  /** The name of a rules variant. The report compares the first other rules variant with it. */
  readonly baseline?: string | undefined
  /** Values for rules by a field of the log, such as the plan of each user. */
  readonly table?: Table | undefined
  /** Finds the lowest limits that deny at most this, and replays them too. The log must be a file, because it is read several times. */
  readonly suggest?: SuggestRequest | undefined
  /**
   * How far lines can be out of order, in milliseconds.
   *
   * @default 60_000
   */
  readonly disorderMs?: number | undefined
  /**
   * Whether the requests of each second are spread evenly over it if the log has whole seconds.
   *
   * @default true
   */
  readonly spread?: boolean | undefined
  /**
   * Whether limits that recover within 5 seconds are replayed from a log with whole seconds. Without this option they are an error.
   *
   * @default false
   */
  readonly force?: boolean | undefined
  /**
   * The treatment of a variant or rule that needs a field that the format of the log does not have. `error` throws, `skip` leaves out that variant or
   * rule, and `absent` replays rules as if each request lacked the field.
   *
   * @default 'error'
   */
  readonly missing?: 'error' | 'skip' | 'absent' | undefined
  /**
   * The share of the keys to replay, from 0 to 1. All requests of a chosen key are replayed.
   *
   * @default 1
   */
  readonly sample?: number | undefined
  /**
   * The number of keys in each list of the report.
   *
   * @default 20
   */
  readonly top?: number | undefined
  /** Called with the first line of each kind that does not fit the format, as a text for people. */
  readonly onBadLine?: ((text: string) => void) | undefined
  /** Called after each part of the log. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
}

/** The target of suggested limits. */
export interface SuggestRequest {
  /** `requests<=0.1%`, a share of the requests, or `keys<=1%`, a share of the keys. */
  readonly target: string
  /**
   * The windows to try, in milliseconds.
   *
   * @default [60_000]
   */
  readonly windows?: readonly number[] | undefined
  /**
   * The algorithm of the suggested limits.
   *
   * @default 'slidingWindow'
   */
  readonly algorithm?: ShortAlgorithm | undefined
  /**
   * The key of the suggested limits.
   *
   * @default 'ip'
   */
  readonly key?: string | undefined
}

/** Policies with one key, or a rules document. */
export type SimulatedVariant = PolicyVariant | RulesVariant

/** Policies, and the key by which they count. */
export interface PolicyVariant {
  readonly policies: Policies
  /**
   * The key: a field of the request, or a list such as `[user, path]`.
   *
   * @default 'ip'
   */
  readonly key?: string | undefined
  /** The units that keys can take beside their quotas, in the whole log, by the text of the key in the report. */
  readonly grants?: Readonly<Record<string, number>> | undefined
}

/** A document of rules. */
export interface RulesVariant {
  /** The document, and the files that it names. */
  readonly rules: RulesText
}

export type NamedVariant = SimulatedVariant & {
  readonly name?: string | undefined
  /** Whether `suggest` found these policies. */
  readonly suggested?: boolean | undefined
}

export interface SimulateSourcesOptions extends Omit<SimulateOptions, 'log' | 'variants'> {
  readonly variants: readonly NamedVariant[]
}
