import { countedKey } from '@sluice/core'
import { joinKey } from '@sluice/core/internal'
import type { LimiterData } from '../data/process-data.js'
import { refusal } from '../refusal.js'

/** The keys of a limiter that the processes have collected. A key can be there twice. */
export function* knownKeys(
  all: readonly Pick<LimiterData, 'requests' | 'denials' | 'runs'>[],
): Iterable<string> {
  for (const { requests, denials, runs } of all) {
    for (const list of [runs, requests.keys, denials.keys]) for (const { key } of list) yield key
  }
}

/**
 * The key of a text, in the form in which it is counted. A text that has this form is that key; any other is a key as an application passes it.
 *
 * @throws Refusal SLUICE_VIEW_REQUEST_INVALID if it is empty
 */
export function countedText(text: string): string {
  try {
    return countedKey(text).toString()
  } catch {
    return joinKey(text) ?? emptyKey()
  }
}

function emptyKey(): never {
  throw refusal('SLUICE_VIEW_REQUEST_INVALID', 'a key that is not empty')
}
