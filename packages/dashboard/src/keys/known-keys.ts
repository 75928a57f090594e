import { countedKey } from '@sluice/core'
import { joinKey } from '@sluice/core/internal'
import type { LimiterData } from '../data/process-data.js'
import { refusal } from '../refusal.js'
import type { KeyIds } from '../key-ids.js'

/**
 * The key of an id, in the form in which it is counted.
 *
 * @param all what the processes have collected about the limiter
 * @throws Refusal SLUICE_VIEW_KEY_UNKNOWN
 */
export function keyOfId(
  ids: KeyIds,
  id: string,
  limiter: string,
  all: readonly Pick<LimiterData, 'requests' | 'denials' | 'runs'>[],
): string {
  const opened = ids.opened(limiter, id)
  if (opened !== undefined) return opened
  for (const { requests, denials, runs } of all) {
    const counted = [...requests.lists, ...denials.lists].map(({ keys }) => keys)
    for (const list of [runs, ...counted]) {
      const found = list.find(({ key }) => ids.idOf(limiter, key) === id)
      if (found !== undefined) return found.key
    }
  }
  throw refusal('SLUICE_VIEW_KEY_UNKNOWN')
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
