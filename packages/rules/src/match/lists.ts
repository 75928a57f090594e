import { addressSortKey, AddressRanges, rangeOfEntry, type Range } from '@sluice/core/http'
import type { ListDeclaration } from '../document/document.js'
import type { Findings } from '../document/findings.js'
import type { Path } from '../document/syntax.js'
import type { Pause } from '../slices.js'

/** A list of a document. Its entries are read when the document is compiled. */
export interface List {
  readonly name: string
  readonly kind: 'address' | 'text'
  /** The number of entries. */
  readonly size: number
  /** The entries of a list of texts. */
  readonly texts: ReadonlySet<string>
  /** The ranges of a list of addresses. */
  readonly ranges: readonly Range[]
  /** The entries in the spelling of a field. */
  spelled(spell: ((text: string) => string) | undefined): ReadonlySet<string>
  /** Whether it contains a value of a field, which is spelled as the field spells its values. */
  includes(text: string, spell: ((text: string) => string) | undefined): boolean
  readEntries(findings: Findings, pause: Pause): Promise<void>
}

const mostEntries = 1_000_000

/** Makes the list of a declaration. */
export function createList(
  name: string,
  declaration: ListDeclaration,
  files: ReadonlyMap<string, string>,
): List {
  const { kind, file, entries = [] } = declaration
  const path: Path = ['lists', name]
  let ranges = new AddressRanges([])
  let size = 0
  const texts = new Set<string>()
  const spellings = new Map<unknown, ReadonlySet<string>>()

  async function readEntries(findings: Findings, pause: Pause): Promise<void> {
    const found: Range[] = []
    size = 0
    let index = 0
    for (const entry of entries) {
      const place = [...path, 'entries', index++]
      const wrong = add(`${entry}`, found)
      if (wrong !== undefined) {
        findings.error(place, 'SLUICE_RULES_LIST_ENTRY', name, `${entry}`, wrong)
      }
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
    const text = file === undefined ? undefined : files.get(file)
    if (file !== undefined && text === undefined) {
      findings.error([...path, 'file'], 'SLUICE_RULES_FILE_MISSING', file)
    }
    for (const { line, entry } of linesOf(text ?? '')) {
      if (size >= mostEntries) {
        const most = mostEntries.toLocaleString('en')
        findings.error(
          path,
          'SLUICE_RULES_TOO_LARGE',
          `list "${name}" is too long`,
          undefined,
          `${most} entries`,
        )
        break
      }
      const wrong = add(entry, found)
      if (wrong !== undefined && file !== undefined) {
        findings.inFile(file, line, 'SLUICE_RULES_LIST_ENTRY', name, entry, wrong)
      }
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
    if (kind === 'address') ranges = new AddressRanges(await sorted(found, pause))
  }

  function spelled(spell: ((text: string) => string) | undefined): ReadonlySet<string> {
    if (spell === undefined) return texts
    let known = spellings.get(spell)
    if (known === undefined) spellings.set(spell, (known = new Set([...texts].map(spell))))
    return known
  }

  /** Adds an entry. Returns the expected form of a wrong one. */
  function add(entry: string, found: Range[]): string | undefined {
    size++
    if (kind === 'text') {
      if (entry === '') return 'a text that is not empty'
      texts.add(entry)
      return undefined
    }
    const range = rangeOfEntry(entry)
    if (typeof range !== 'object') return range ?? 'an address, or a range such as 10.0.0.0/8'
    found.push(range)
    return undefined
  }

  return {
    name,
    kind,
    texts,
    get ranges() {
      return ranges.ranges
    },
    get size() {
      return kind === 'text' ? texts.size : ranges.size
    },
    spelled,
    includes(text, spell) {
      if (kind === 'text') return spelled(spell).has(text)
      const key = addressSortKey(text)
      return key !== undefined && ranges.hasKey(key)
    },
    readEntries,
  }
}

/** Sorts in slices, by merging. The later sort of the ranges then needs only one pass. */
async function sorted(ranges: readonly Range[], pause: Pause): Promise<readonly Range[]> {
  let runs: (readonly Range[])[] = []
  for (let from = 0; from < ranges.length; from += runLength) {
    runs.push(ranges.slice(from, from + runLength).sort(byFirst))
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  while (runs.length > 1) {
    const merged: (readonly Range[])[] = []
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 === runs.length ? runs[i] : await merge(runs[i], runs[i + 1], pause))
    }
    runs = merged
  }
  return runs[0] ?? []
}

const runLength = 1000

async function merge(
  left: readonly Range[],
  right: readonly Range[],
  pause: Pause,
): Promise<readonly Range[]> {
  const merged: Range[] = []
  let [i, j] = [0, 0]
  while (i < left.length && j < right.length) {
    merged.push(byFirst(left[i], right[j]) <= 0 ? left[i++] : right[j++])
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  while (i < left.length) merged.push(left[i++])
  while (j < right.length) merged.push(right[j++])
  return merged
}

function byFirst(a: Range, b: Range): number {
  return a.first < b.first ? -1 : a.first > b.first ? 1 : 0
}

/**
 * The entries of a file: one a line, without comments, empty lines and spaces around them, of which a mark of the byte order is one.
 *
 * @param quoted whether an entry can begin with a text in quotes, in which "#" begins no comment
 */
export function* linesOf(
  text: string,
  quoted = false,
): Generator<{ readonly line: number; readonly entry: string }> {
  let line = 0
  let from = 0
  while (from < text.length) {
    line++
    const newline = text.indexOf('\n', from)
    const to = newline === -1 ? text.length : newline
    const whole = text.slice(from, to)
    const quotes = quoted ? (/^\s*"(?:[^"]|"")*"/.exec(whole)?.[0].length ?? 0) : 0
    const comment = whole.slice(quotes).search(/(?:^|\s)#/)
    const entry = (comment === -1 ? whole : whole.slice(0, quotes + comment)).trim()
    if (entry !== '') yield { line, entry }
    from = to + 1
  }
}
