import { fenced, joined, memberCode, signatureText, spaced } from './api-text.mjs'
import { listed, memberItem } from './api-list.mjs'
import { linkOf, paramsOf, saidOf, throwsOf } from './api-doc.mjs'
import { aliasOf, headOf, membersOf, signaturesOf, typeOfConst } from './declarations.mjs'
import { publicNames } from './exports.mjs'

const section = /^<!-- api(?<form> \w+)?: (?<entry>\S+)(?<names>[^>]*?)-->\n[^]*?^<!-- \/api -->$/gm

/**
 * The page with the current content of each section. Each name has its own section, or an item of a list. `Limiter.consume` is a member with its own
 * section: then all members of `Limiter` have one.
 */
export function apiSections(page) {
  return page.replace(section, (...match) => {
    const { form = '', entry, names } = match.at(-1)
    const asked = names.split(/\s+/).filter((name) => name !== '')
    const heading = `${levelAt(page, match.at(-3))}#`
    const content =
      form === ''
        ? sections(entry, asked, heading, page)
        : listed(form.trim(), declarationsOf(entry, asked, page))
    return `<!-- api${form}: ${entry}${names}-->\n\n${content.trim()}\n\n<!-- /api -->`
  })
}

/** The page without these sections. */
export function withoutApi(page) {
  return page.replace(section, '')
}

/** `*` stands for all names of the entry point that no other marker of the page has. */
function declarationsOf(entry, names, page) {
  if (names.join() !== '*') return names.map((name) => find(entry, name))
  const markers = [...page.matchAll(section)].filter((one) => one.groups.entry === entry)
  const shown = new Set(markers.flatMap(({ groups }) => groups.names.split(/[\s.]+/)))
  return [...publicNames(entry)].filter(([name]) => !shown.has(name)).map(([, one]) => one)
}

function find(entry, name) {
  const declaration = publicNames(entry).get(name)
  if (declaration === undefined) throw new Error(`${entry} does not export ${name}`)
  return declaration
}

/** The level of the last heading before a section: `##`. */
function levelAt(page, offset) {
  const [, level] = /^(#+) .*$(?![^]*^#+ )/m.exec(withoutApi(page.slice(0, offset)))
  return level
}

function sections(entry, names, heading, page) {
  return names
    .map((path) => {
      const [name, member] = path.split('.')
      const declaration = find(entry, name)
      const content =
        member === undefined ? sectionOf(declaration, page) : memberSection(declaration, member)
      const title = member === undefined ? name : `${name.toLowerCase()}.${member}`
      return `${heading} ${title}\n\n${content}`
    })
    .join('\n\n')
}

function sectionOf(declaration, page) {
  const { kind, name, doc } = declaration
  switch (kind) {
    case 'function': {
      const signatures = signaturesOf(declaration)
      const code = signatures.map((signature) => signatureText(name, signature)).join('\n')
      const text = [saidOf(declaration), paramsOf(doc), linkOf(signatures), throwsOf(doc)]
      return joined(fenced(code), spaced(...text))
    }
    case 'const':
      return joined(fenced(`const ${name}: ${typeOfConst(declaration)}`), saidOf(declaration))
    case 'type': {
      const { generics, definition } = aliasOf(declaration)
      return joined(fenced(`type ${name}${generics} = ${definition}`), saidOf(declaration))
    }
    default: {
      const { generics, heritage } = headOf(declaration)
      const isShown = generics + heritage !== '' || kind === 'class'
      const code = isShown ? fenced(`${kind} ${name}${generics} ${heritage}`.trim()) : ''
      const isSplit = new RegExp(String.raw`<!-- api: [^>]*\b${name}\.\w`).test(page)
      if (isSplit) assertAllMembers(declaration, page)
      return joined(code, saidOf(declaration), isSplit ? '' : memberList(declaration))
    }
  }
}

function assertAllMembers(declaration, page) {
  for (const { name } of membersOf(declaration)) {
    if (!new RegExp(String.raw`\s${declaration.name}\.${name}\s`).test(page)) {
      throw new Error(`${declaration.name}.${name} is not on the page`)
    }
  }
}

function memberSection(declaration, name) {
  const overloads = membersOf(declaration).filter((member) => member.name === name)
  if (overloads.length === 0) throw new Error(`${declaration.name} has no member ${name}`)
  const parts = overloads.map((member) => {
    const code = member.isMethod ? signatureText(name, member.signature) : memberCode(member, true)
    return joined(fenced(code), textOf(declaration, member))
  })
  return parts.join('\n\n')
}

function memberList(declaration) {
  const items = membersOf(declaration).map((member) => {
    textOf(declaration, member)
    return memberItem(member)
  })
  return items.join('\n')
}

function textOf(declaration, { name, doc }) {
  if (doc.said === '') throw new Error(`${declaration.name}.${name} has no TSDoc`)
  return spaced(doc.said, throwsOf(doc))
}
