import { countedKey, type CountedKey, type Key } from '@sluice/core'
import { joinKey } from '@sluice/core/internal'
import { visible, visibleJson } from '../text/visible.js'

/** The key of a command. */
export interface KeyArgument {
  /** The key for the methods of a limiter. */
  readonly key: Key | CountedKey
  /** The key in the form in which it is counted, which is how it is shown. */
  readonly text: string
  /** Its parts; undefined if only a hash of the key is known. */
  readonly parts: readonly string[] | undefined
}

/**
 * Reads a key: a plain text, a JSON list of parts such as `["user",42]`, or a key as events, the page and the commands show it, such as `|user|42`. A plain text
 * that looks like one of the other two is written as a list of one part.
 *
 * @param isCounted whether the text can only be a key as it is shown
 * @throws Error if the text is not a key
 */
export function readKey(text: string, isCounted: boolean): KeyArgument {
  if (isCounted || /^\||^%[%|#]/.test(text)) return argumentOf(asCounted(text))
  if (!text.trimStart().startsWith('[')) return argumentOf(text)
  const parts = partsIn(text)
  if (parts === undefined) {
    throw new Error(
      `the key ${text} begins like a list and is not one. Write a JSON list in quotes, such as '["user",42]'. If this is the key itself, write it as a list of one part: '${JSON.stringify([text])}'`,
    )
  }
  return argumentOf(parts)
}

/**
 * The text of a counted key for a terminal, which `readKey` reads as that key. A list of its parts, whose characters JSON can escape, replaces a text that would be
 * read as another key.
 */
export function shownKey(counted: string): string {
  const text = visible(counted)
  const parts = partsOf(counted)
  return parts === undefined || isReadAs(text, counted) ? text : visibleJson(parts, 0)
}

function isReadAs(text: string, counted: string): boolean {
  try {
    return text.trim() === text && readKey(text, false).text === counted
  } catch {
    return false
  }
}

function asCounted(text: string): CountedKey {
  try {
    return countedKey(text)
  } catch (error) {
    throw new Error(
      `no key is counted as ${text}. If this is the key itself, write it as a list of one part: '${JSON.stringify([text])}'`,
      { cause: error },
    )
  }
}

function partsIn(text: string): readonly (string | number)[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return Array.isArray(value) && value.every(isPart) ? value : undefined
}

function isPart(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function argumentOf(key: Key | CountedKey): KeyArgument {
  const text = joinKey(key)
  if (text === undefined) {
    throw new Error(
      'the key is not valid: a key is a text that is not empty, or a list of texts and whole numbers',
    )
  }
  return { key, text, parts: partsOf(text) }
}

/** The parts of a counted key. */
function partsOf(text: string): readonly string[] | undefined {
  if (text.startsWith('%#')) return undefined
  if (text.startsWith('%')) return [text.slice(1)]
  if (!text.startsWith('|')) return [text]
  return text
    .slice(1)
    .split('|')
    .map((part) => part.replaceAll('%7C', '|').replaceAll('%25', '%'))
}
