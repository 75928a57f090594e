import { addressSortKey, AddressRanges, rangeOfEntry, type Range } from '@sluice/core/http'
import type { ListDeclaration } from '../document/document.js'
import type { Place } from '../document/findings.js'

/** A list of a document. */
export interface List {
  readonly name: string
  readonly kind: 'address' | 'text'
  /** The number of entries. */
  readonly size: number
  /** The entries in the spelling of a field. */
  spelled(spell: ((text: string) => string) | undefined): ReadonlySet<string>
  /** Whether it contains a value of a field, which is spelled as the field spells its values. */
  includes(text: string, spell: ((text: string) => string) | undefined): boolean
}

const mostEntries = 1_000_000

/** Reads a list, and the file that it names. */
export function readList(
  name: string,
  { kind, file, entries }: ListDeclaration,
  files: ReadonlyMap<string, string>,
  place: Place,
): List {
  const { findings } = place
  const texts = new Set<string>()
  const found: Range[] = []
  let count = entries?.length ?? 0
  if (file === undefined && entries === undefined) {
    place.error('SLUICE_RULES_OPTION_MISSING', 'entries', '"entries" or "file"')
  }
  entries?.forEach((entry, i) => {
    const wrong = add(`${entry}`)
    if (wrong !== undefined)
      place.at('entries', i).error('SLUICE_RULES_LIST_ENTRY', name, `${entry}`, wrong)
  })
  if (file !== undefined) readFile(file, files.get(file))
  const ranges = new AddressRanges(found)
  const spellings = new Map<unknown, ReadonlySet<string>>([[undefined, texts]])

  function readFile(file: string, text: string | undefined): void {
    if (text === undefined) place.at('file').error('SLUICE_RULES_FILE_MISSING', file)
    for (const [i, line] of (text ?? '').split('\n').entries()) {
      // A mark of the byte order is a space.
      const entry = line.replace(/(?:^|\s)#.*/, '').trim()
      const wrong = entry === '' ? undefined : add(entry)
      if (wrong !== undefined)
        findings.inFile(file, i + 1, 'SLUICE_RULES_LIST_ENTRY', name, entry, wrong)
      if (entry === '' || ++count <= mostEntries) continue
      const most = `${mostEntries.toLocaleString('en')} entries`
      place.error('SLUICE_RULES_TOO_LARGE', `list "${name}" is too long`, undefined, most)
      return
    }
  }

  /** Adds an entry. Returns the expected form of a wrong one. */
  function add(entry: string): string | undefined {
    if (kind === 'text') return entry === '' ? 'a text that is not empty' : void texts.add(entry)
    const range = rangeOfEntry(entry)
    if (typeof range !== 'object') return range ?? 'an address, or a range such as 10.0.0.0/8'
    found.push(range)
    return undefined
  }

  function spelled(spell: ((text: string) => string) | undefined): ReadonlySet<string> {
    let known = spellings.get(spell)
    if (known === undefined)
      spellings.set(spell, (known = new Set([...texts].map(spell ?? String))))
    return known
  }

  return {
    name,
    kind,
    size: kind === 'text' ? texts.size : ranges.size,
    spelled,
    includes(text, spell) {
      if (kind === 'text') return spelled(spell).has(text)
      const key = addressSortKey(text)
      return key !== undefined && ranges.hasKey(key)
    },
  }
}
