import { addressSortKey, ipKey } from '@sluice/core/http'
import { joinKey } from '@sluice/core/internal'

/** The most keys that a text can mean: each of them is looked up. */
const mostMeant = 24

/**
 * The keys that a visitor can mean by a text, in the form in which they are counted, the likeliest first. `ada` and `customer ada` can mean `|customer|ada`, if
 * the limiter has counted other keys of that form.
 *
 * @param known keys that the limiter has counted
 */
export function meantKeys(text: string, known: Iterable<string>): readonly string[] {
  const words = text.split(/[\s:|/]+/).filter((word) => word !== '')
  const last = words.at(-1)
  if (last === undefined) return []
  const meant = new Set<string>()
  const add = (key: string | undefined): void => {
    if (key !== undefined && meant.size < mostMeant) meant.add(key)
  }
  add(listedKey(text))
  if (addressSortKey(text.trim()) !== undefined) add(ipKey(text.trim()))
  if (words.length > 1) {
    add(joinKey(words))
    add(words.join(':'))
  }
  const forms = new Set<string>()
  for (const key of known) {
    const parts = partsOf(key)
    if (words.every((word) => parts.includes(word))) add(key)
    // Addresses have a form of their own, and a key of each network would begin with another text.
    if (!key.startsWith('ip:')) forms.add(key.slice(0, beginningOf(key)))
  }
  for (const form of forms) {
    const parts = partsOf(form)
    if (form !== '' && words.slice(0, -1).every((word) => parts.includes(word))) {
      add(form + (form.startsWith('|') ? escapedPart(last) : last))
    }
  }
  return [...meant]
}

/** A key as JSON, such as `["user",42]`. */
function listedKey(text: string): string | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    return joinKey(JSON.parse(text))
  } catch {
    return undefined
  }
}

function beginningOf(key: string): number {
  return Math.max(key.lastIndexOf('|'), key.lastIndexOf(':')) + 1
}

function partsOf(key: string): readonly string[] {
  return key.split(/[|:]/)
}

/** The last part of a list, as it is counted. */
function escapedPart(part: string): string {
  return (joinKey(['-', part]) ?? '').slice('|-|'.length)
}
