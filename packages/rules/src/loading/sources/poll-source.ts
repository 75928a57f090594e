import type { Awaitable } from '@sluice/core/http'
import { readOptions } from '@sluice/core/internal'
import { z } from 'zod'
import type { RulesText } from '../../document/syntax.js'
import { rulesError } from '../../errors.js'
import { show } from '../../errors/quoting.js'
import { contentOf, everyOption, type RuleSource } from './rule-source.js'

/** The result of the function of `pollSource`: the text, or the text and the files that it names. */
export type PolledRules =
  | string
  | { readonly text: string; readonly files?: Readonly<Record<string, string>> }

/** Options of `pollSource`. */
export interface PollSourceOptions {
  /**
   * The time between two calls. A call begins after the previous one has ended.
   *
   * @default '30s'
   */
  readonly every?: number | string | undefined
}

const longestPauseMs = 5 * 60_000

/**
 * A document that your function fetches: from a database, a configuration service, an object store. Each failure doubles the time to the next call,
 * up to five minutes.
 *
 * @example
 * const source = pollSource(
 *   async (signal) => {
 *     const response = await fetch('https://config.example.org/rules.yaml', { signal })
 *     if (!response.ok) throw new Error(`the server answered ${response.status}`)
 *     return response.text()
 *   },
 *   { every: '1m' },
 * )
 */
export function pollSource(
  read: (signal: AbortSignal) => Awaitable<PolledRules>,
  options: PollSourceOptions = {},
): RuleSource {
  const { every } = readOptions('pollSource', options, { every: everyOption(30_000) })
  return {
    location: 'pollSource',
    every,
    maxPauseMs: Math.max(every, longestPauseMs),
    async read(since, signal) {
      const content = contentOf(rulesTextOf(await read(signal)))
      return content.version === since ? undefined : content
    },
  }
}

const polledRules = z.union([
  z.string().transform((text) => ({ text, files: {} })),
  z.object({ text: z.string(), files: z.record(z.string(), z.string()).default({}) }),
])

/** Checks what the function returned, which may be JavaScript without types. */
function rulesTextOf(polled: unknown): RulesText {
  const { data } = polledRules.safeParse(polled)
  if (data === undefined) {
    const what = polled instanceof Uint8Array ? 'bytes' : show(polled)
    const reason = `its function returned ${what}. Return a text, or { text, files } of texts`
    throw rulesError('SLUICE_RULES_SOURCE_FAILED', 'pollSource', reason)
  }
  const files = new Map(Object.entries(data.files))
  return { text: data.text, format: 'yaml', files }
}
