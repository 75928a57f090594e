import { callText, item, joined, memberCode, spaced } from './api-text.mjs'
import { firstSentence, linkOf, optionsLink, paramsOf, saidOf, throwsOf } from './api-doc.mjs'
import { aliasOf, headOf, membersOf, signaturesOf, typeOfConst } from './declarations.mjs'

/**
 * A list of public names: `list` has all of their TSDoc, and `brief` its first sentence. In `names`, only values have a sentence: types that an application
 * seldom writes are names. The types of options are links to their lists.
 */
export function listed(form, declarations) {
  if (!['list', 'brief', 'names'].includes(form)) throw new Error(`there is no form "${form}"`)
  const options = declarations.map((one) => optionsLink(one)).filter((link) => link !== undefined)
  const rest = declarations.filter((one) => optionsLink(one) === undefined)
  const links = options.length === 0 ? '' : `Types of options: ${options.join(', ')}.`
  const isNamed = ({ kind }) => form === 'names' && (kind === 'type' || kind === 'interface')
  const told = rest.filter((one) => !isNamed(one))
  const items = told.map((one) => (form === 'list' ? itemOf(one) : briefItem(one)))
  const names = rest.filter((one) => isNamed(one)).map(({ name }) => `\`${name}\``)
  return joined(items.join('\n'), names.join(', '), links)
}

function briefItem(declaration) {
  const { kind, name } = declaration
  const text = firstSentence(saidOf(declaration))
  if (kind !== 'function') return item(name, text)
  const signatures = signaturesOf(declaration)
  return item(callText(name, signatures[0].params), spaced(text, linkOf(signatures)))
}

function itemOf(declaration) {
  const { kind, name, doc } = declaration
  if (kind === 'function') {
    const signatures = signaturesOf(declaration)
    const [{ params, returns }] = signatures
    const text = [saidOf(declaration), paramsOf(doc), linkOf(signatures), throwsOf(doc)]
    return item(`${callText(name, params)}: ${returns}`, spaced(...text))
  }
  if (kind === 'const') return item(`${name}: ${typeOfConst(declaration)}`, saidOf(declaration))
  if (kind === 'type') {
    const { generics, definition } = aliasOf(declaration)
    return item(`${name}${generics} = ${definition}`, saidOf(declaration))
  }
  return shapeItem(declaration)
}

/** Above this length, a shape has the names of its members only. */
const longestShape = 120

/** An interface or a class: each member with TSDoc has an item below it. */
function shapeItem(declaration) {
  const { generics, heritage } = headOf(declaration)
  const members = membersOf(declaration)
  const isTold = ({ doc }) => doc.said !== '' || doc.absent !== undefined
  const plain = members.filter((member) => !isTold(member))
  const [full, short] = [true, false].map((withTypes) => {
    const codes = plain.map((member) => memberCode(member, withTypes))
    const own = codes.length === 0 ? '' : `{ ${codes.join(', ')} }`
    return spaced(declaration.name + generics, heritage, own)
  })
  return item(
    full.length <= longestShape ? full : short,
    saidOf(declaration),
    members.filter((member) => isTold(member)).map((member) => memberItem(member)),
  )
}

export function memberItem(member) {
  const { doc } = member
  const absent = doc.absent === undefined ? '' : `Default: ${doc.absent}.`
  return item(memberCode(member, true), spaced(doc.said, absent, throwsOf(doc)))
}
