import type { Readable } from 'node:stream'
import type { Policies } from '@sluice/core'
import type { RulesText } from '@sluice/rules'
import type { FormatOptions } from './cut/detect.js'
import type { ReadProgress } from './read-log.js'
import type { Table } from './rules/facts.js'
import type { ShortAlgorithm } from './variants.js'

/** A log: the path of a file, several of them, or a stream. Each may be compressed with gzip. */
export type Log = string | readonly string[] | Readable

export interface SimulateOptions extends FormatOptions {
  readonly log: Log
  /** What to replay the log against. Each variant has counts of its own. */
  readonly variants?: Readonly<Record<string, SimulatedVariant>>
  /** The name of a variant of rules. The report compares the first other variant of rules with it. */
  readonly baseline?: string | undefined
  /** Values for rules by a field of the log: a plan by user, for example. */
  readonly table?: Table | undefined
  /** Also finds the least limits that deny no more than this, and replays them. The log has to be a file, because it is read several times. */
  readonly suggest?: SuggestRequest | undefined
  /**
   * By how much lines may be out of order, in milliseconds.
   *
   * @default 60_000
   */
  readonly disorderMs?: number | undefined
  /**
   * Whether the requests of one second are spread over it, if the log has whole seconds only.
   *
   * @default true
   */
  readonly spread?: boolean | undefined
  /**
   * Whether windows shorter than 5 seconds may be replayed from a log with whole seconds.
   *
   * @default false
   */
  readonly force?: boolean | undefined
  /**
   * What to do about a field that a key or a rule needs and the log's format does not have: throw; leave out that variant or rule; or replay rules as if
   * the field were absent in each request.
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
  /** Called after each part of the log that was read. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
}

export interface SuggestRequest {
  /** `requests<=0.1%`, a share of the requests, or `keys<=1%`, a share of the keys. */
  readonly target: string
  /**
   * In milliseconds.
   *
   * @default [60_000]
   */
  readonly windows?: readonly number[] | undefined
  /** @default 'slidingWindow' */
  readonly algorithm?: ShortAlgorithm | undefined
  /** @default 'ip' */
  readonly key?: string | undefined
}

/** Policies with one key, or a document of rules. */
export type SimulatedVariant = PolicyVariant | RulesVariant

export interface PolicyVariant {
  readonly policies: Policies
  /**
   * The key: a field of the request, or a list such as `[user, path]`.
   *
   * @default 'ip'
   */
  readonly key?: string | undefined
}

export interface RulesVariant {
  /** The document, and the files that it names. */
  readonly rules: RulesText
}

export type NamedVariant = SimulatedVariant & { readonly name?: string | undefined }

export interface SimulateSourcesOptions extends Omit<SimulateOptions, 'log' | 'variants'> {
  readonly variants: readonly NamedVariant[]
}
