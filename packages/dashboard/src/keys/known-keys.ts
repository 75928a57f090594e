import { countedKey } from '@sluice/core'
import { joinKey } from '@sluice/core/http'
import type { LimiterData } from '../data/process-data.js'
import { refusal } from '../refusal.js'
import type { KeyIds } from './key-ids.js'

/** The most keys that were named by a visitor or found by a search, whose ids are kept. */
const mostNamed = 1000

/** Finds the key that a visitor names, by its id or as a text. */
export class KnownKeys {
  readonly #ids: KeyIds
  /** Keys that no decision has shown. */
  readonly #named = new Map<string, string>()

  constructor(ids: KeyIds) {
    this.#ids = ids
  }

  /** The id of a key, which `keyOf` finds again. */
  name(limiter: string, key: string): string {
    const id = this.#ids.idOf(limiter, key)
    this.#named.delete(id)
    this.#named.set(id, key)
    const [oldest] = this.#named.keys()
    if (this.#named.size > mostNamed && oldest !== undefined) this.#named.delete(oldest)
    return id
  }

  /**
   * The key of an id, in the form in which it is counted.
   *
   * @param all what the processes have collected about the limiter
   * @throws Refusal SLUICE_VIEW_KEY_UNKNOWN
   */
  keyOf(
    id: string,
    limiter: string,
    all: readonly Pick<LimiterData, 'requests' | 'denials' | 'runs'>[],
  ): string {
    const named = this.#named.get(id)
    if (named !== undefined && this.#ids.idOf(limiter, named) === id) return named
    for (const { requests, denials, runs } of all) {
      for (const list of [runs, requests.keys, denials.keys]) {
        const found = list.find(({ key }) => this.#ids.idOf(limiter, key) === id)
        if (found !== undefined) return found.key
      }
    }
    throw refusal('SLUICE_VIEW_KEY_UNKNOWN')
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
