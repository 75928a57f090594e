import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docs } from '../workspace.mjs'
import { callText, codeCell, fenced, joined, row, signatureText, table } from './api-text.mjs'
import { aliasOf, headOf, membersOf, signaturesOf, typeOfConst } from './declarations.mjs'
import { publicNames } from './exports.mjs'

const section =
  /^<!-- api(?<form> table)?: (?<entry>\S+)(?<names>[^>]*?)-->\n[^]*?^<!-- \/api -->$/gm

/**
 * The page with the current content of each section. Each name has its own section, or a row of a table. `Limiter.consume` is a member with its own
 * section: then all members of `Limiter` have one.
 */
export function apiSections(page) {
  return page.replace(section, (...match) => {
    const { form = '', entry, names } = match.at(-1)
    const asked = names.split(/\s+/).filter((name) => name !== '')
    const heading = `${levelAt(page, match.at(-3))}#`
    const content = form === '' ? sections(entry, asked, heading, page) : tables(entry, asked)
    return `<!-- api${form}: ${entry}${names}-->\n\n${content.trim()}\n\n<!-- /api -->`
  })
}

/** The page without these sections. */
export function withoutApi(page) {
  return page.replace(section, '')
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
      return joined(
        fenced(code),
        saidOf(declaration),
        paramsOf(doc),
        linkOf(signatures),
        throwsOf(doc),
      )
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
      return joined(code, saidOf(declaration), isSplit ? '' : membersTable(declaration))
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
    const code = member.isMethod ? signatureText(name, member.signature) : `${name}: ${member.type}`
    return joined(fenced(code), memberText(declaration, member))
  })
  return parts.join('\n\n')
}

function membersTable(declaration) {
  const rows = membersOf(declaration).map((member) => {
    const { name, optional = '', isMethod, signature, type } = member
    const code = isMethod
      ? callText(`${name}${optional}`, signature.params, true)
      : `${name}${optional}`
    const of = isMethod ? signature.returns : type
    return row([codeCell(code), codeCell(of), memberText(declaration, member)])
  })
  return rows.length === 0 ? '' : `| member | type | meaning |\n|---|---|---|\n${rows.join('\n')}`
}

function memberText(declaration, { name, doc }) {
  const text = [doc.said, defaultText(doc), throwsOf(doc)].filter((part) => part !== '').join(' ')
  if (text === '') throw new Error(`${declaration.name}.${name} has no TSDoc`)
  return text
}

function defaultText({ absent }) {
  return absent === undefined ? '' : `Default: ${absent}.`
}

function tables(entry, names) {
  const declarations = names.map((name) => find(entry, name))
  const isType = ({ kind }) => kind === 'type' || kind === 'interface'
  const values = declarations.filter((one) => !isType(one))
  const types = declarations.filter((one) => isType(one))
  return joined(
    table(
      '| name | type or result | meaning |',
      values.map((one) => valueRow(one)),
    ),
    table(
      '| type | definition | meaning |',
      types.map((one) => typeRow(one)),
    ),
  )
}

/** Above this length, a definition in a table has the names of its members only. */
const longestDefinition = 120

function memberCode({ name, optional = '', isMethod, signature, type }, withTypes) {
  const start = `${name}${optional}`
  if (!isMethod) return withTypes ? `${start}: ${type}` : start
  const call = callText(start, signature.params, withTypes)
  return withTypes ? `${call}: ${signature.returns}` : call
}

function valueRow(declaration) {
  const { kind, name, doc } = declaration
  if (kind === 'class') {
    const type = `class ${headOf(declaration).heritage}`.trim()
    return row([codeCell(name), codeCell(type), fullText(declaration)])
  }
  if (kind === 'const') {
    return row([codeCell(name), codeCell(typeOfConst(declaration)), saidOf(declaration)])
  }
  const signatures = signaturesOf(declaration)
  const [{ params, returns }] = signatures
  const coded = { throws: doc.throws.filter((text) => /\bSLUICE_/.test(text)) }
  const text = [saidOf(declaration), paramsOf(doc), linkOf(signatures), throwsOf(coded)]
  return row([
    codeCell(callText(name, params)),
    codeCell(returns),
    text.filter((part) => part !== '').join(' '),
  ])
}

function typeRow(declaration) {
  const { kind, name } = declaration
  const options = optionsLink(declaration)
  if (options !== undefined) return row([codeCell(name), options, saidOf(declaration)])
  if (kind === 'type') {
    const { generics, definition } = aliasOf(declaration)
    return row([codeCell(`${name}${generics}`), codeCell(definition), saidOf(declaration)])
  }
  const { generics, heritage } = headOf(declaration)
  const extended = heritage.replace('extends ', '')
  const [full, short] = [true, false].map((withTypes) => {
    const members = membersOf(declaration).map((member) => memberCode(member, withTypes))
    const own = members.length === 0 ? [] : [`{ ${members.join(', ')} }`]
    return (extended === '' ? own : [extended, ...own]).join(' & ') || kind
  })
  const definition = full.length <= longestDefinition ? full : short
  return row([codeCell(`${name}${generics}`), codeCell(definition), fullText(declaration)])
}

/** The TSDoc of a declaration and of its members, for a row of a table. */
function fullText(declaration) {
  const members = membersOf(declaration)
    .filter(({ doc }) => doc.said !== '' || doc.absent !== undefined)
    .map(({ name, isMethod, signature, doc }) => {
      const text = [doc.said, defaultText(doc)].filter((part) => part !== '').join(' ')
      return `\`${isMethod ? callText(name, signature.params) : name}\`: ${text}`
    })
  return [saidOf(declaration), ...members].join('<br>')
}

function saidOf({ name, doc }) {
  if (doc.said === '') throw new Error(`${name} has no TSDoc`)
  return doc.said
}

function paramsOf({ params }) {
  return params.map((param) => `\`${param.replace(' ', '`: ')}.`).join(' ')
}

function throwsOf({ throws }) {
  return throws.length === 0 ? '' : `Throws: ${throws.join('; ')}.`
}

/** Links to the options of a function. */
function linkOf(signatures) {
  const params = signatures.flatMap((signature) => signature.params)
  const types = new Set(params.flatMap(({ type }) => type.match(/\w+/g)))
  const known = [...optionTables()].filter(([name]) => types.has(name))
  const links = new Set(known.map(([, { title, anchor }]) => `[${title}](options.md#${anchor})`))
  return links.size === 0 ? '' : `Options: ${[...links].join(', ')}.`
}

function optionsLink({ name }) {
  const table = optionTables().get(name)
  return table === undefined ? undefined : `[options](options.md#${table.anchor})`
}

/** The heading above the table of each type of `options.md`. `AllLimiterOptions` has the table of `LimiterOptions`. */
function optionTables() {
  const page = readFileSync(join(docs, 'reference/options.md'), 'utf8')
  const found = new Map()
  let title = ''
  for (const [, heading, name] of page.matchAll(/^## (.*)$|^<!-- options: \S+#(\w+) -->$/gm)) {
    if (heading !== undefined) title = heading
    else
      found.set(name.replace(/^All/, ''), {
        title,
        anchor: title.toLowerCase().replaceAll(' ', '-'),
      })
  }
  return found
}
