import { listed } from './api-list.mjs'
import { ownNames, publicNames } from './exports.mjs'

const section = /^<!-- api (?<form>\w+): (?<entry>\S+)(?<names>[^>]*?)-->\n[^]*?^<!-- \/api -->$/gm

/** The page with the current content of each section. */
export function apiSections(page) {
  return page.replace(section, (...match) => {
    const { form, entry, names } = match.at(-1)
    const asked = names.split(/\s+/).filter((name) => name !== '')
    const content = listed(form, declarationsOf(entry, asked, page))
    return `<!-- api ${form}: ${entry}${names}-->\n\n${content}\n\n<!-- /api -->`
  })
}

/** The page without these sections. */
export function withoutApi(page) {
  return page.replace(section, '')
}

/** `*` stands for all names of the entry point that no other marker of the page has, for this one or another of its package. */
function declarationsOf(entry, names, page) {
  const known = publicNames(entry)
  if (names.join() === '*') {
    const markers = [...page.matchAll(section)].filter(
      ({ groups }) => packageOf(groups.entry) === packageOf(entry),
    )
    const shown = new Set(markers.flatMap(({ groups }) => groups.names.split(/\s+/)))
    return [...ownNames(entry)].filter(([name]) => !shown.has(name)).map(([, one]) => one)
  }
  return names.map((name) => {
    const declaration = known.get(name)
    if (declaration === undefined) throw new Error(`${entry} does not export ${name}`)
    return declaration
  })
}

function packageOf(entry) {
  return entry.split('/', 2).join('/')
}
