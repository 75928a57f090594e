/** The parts of a TSDoc comment: its text and its tags. */
export function docOf(comment) {
  const lines = comment.replace(/^\s*\* ?/gm, '')
  const [text = '', ...tags] = lines.split(/^\s*@(?=\w+)/m)
  // The sources of an algorithm are for readers of the code.
  const said = text.replace(/\n\n\s*Source[^]*$/, '')
  const tagged = (name) =>
    tags.filter((tag) => tag.startsWith(`${name} `)).map((tag) => oneLine(tag.slice(name.length)))
  return {
    said: oneLine(said),
    throws: tagged('throws'),
    params: tagged('param'),
    absent: tagged('default')[0],
    isInternal: tags.some((tag) => tag.startsWith('internal')),
  }
}

const comment = String.raw`(?: {2}\/\*\*(?<said>(?:(?!\*\/)[^])*)\*\/\n)?(?: {2}\/\/[^\n]*\n)*`
const member = new RegExp(
  String.raw`^${comment} {2}(?<text>[\w<#[][^\n]*(?:\n(?: {3,}[^\n]*| {2}[)}\]>][^\n]*|(?=\n {4})))*)`,
  'gm',
)

/** The public members of an interface or a class. A call signature has no name. */
export function membersOf({ text }) {
  const body = text.slice(text.indexOf('{\n') + 2)
  const found = Array.from(body.matchAll(member), ({ groups: { said = '', text } }) => ({
    ...memberIn(text.replace(/^(?:(?:override|declare|static|async|readonly) )+/, '')),
    doc: docOf(said),
  }))
  return found.filter(({ name, doc }) => name !== undefined && !doc.isInternal)
}

function memberIn(text) {
  if (/^(?:constructor\b|static \{|\{|#|\[)/.test(text)) return {}
  const [, name, optional, rest] = /^(\w*)(\??)([^]*)$/.exec(text)
  if (/^[(<]/.test(rest)) return { name, optional, isMethod: true, signature: signatureIn(rest) }
  const [, type] = /^: ([^]*)$/.exec(rest) ?? []
  if (type === undefined) return {}
  return { name, optional, type: optional === '' ? typeText(type) : givenType(typeText(type)) }
}

/** The signatures of a function, without that of the implementation if there are overloads. */
export function signaturesOf({ rest }) {
  const [start] = /^export (?:async )?function \w+(?=[(<])/.exec(rest)
  const own = rest.split(start).slice(1)
  const overloads = own.length > 1 ? own.slice(0, -1) : own
  return overloads.map((text) => signatureIn(text))
}

/** The parameters and the definition of a type: `<R> = …`. */
export function aliasOf({ local, text }) {
  const rest = text.slice(text.indexOf(local) + local.length)
  const generics = rest.startsWith('<') ? rest.slice(0, closing(rest, 0) + 1) : ''
  const definition = rest.slice(generics.length).replace(/^ =\s*/, '')
  return { generics: typeText(generics), definition: typeText(definition) }
}

/** The type of a constant. */
export function typeOfConst({ text }) {
  const [, type] = /^export const \w+: ([^]*?) =\s/.exec(text)
  return typeText(type)
}

/** The type parameters of an interface or a class, and the types that it extends or implements. */
export function headOf({ local, text }) {
  const head = text.slice(text.indexOf(local) + local.length, text.indexOf('{\n')).trim()
  const generics = head.startsWith('<') ? head.slice(0, closing(head, 0) + 1) : ''
  return { generics: typeText(generics), heritage: typeText(head.slice(generics.length)) }
}

/** Reads `<T>(a: A, b?: B): R`, up to a body or the end. */
function signatureIn(text) {
  const generics = text.startsWith('<') ? text.slice(0, closing(text, 0) + 1) : ''
  const end = closing(text, generics.length)
  const params = splitList(text.slice(generics.length + 1, end)).map((param) => paramIn(param))
  const [, returns] = /^: ([^]*?)(?: \{\n|\n(?=\S)|\n\n|$)/.exec(text.slice(end + 1))
  return { generics: typeText(generics), params, returns: typeText(returns) }
}

function paramIn(text) {
  const isApart = /^[{[]/.test(text)
  const end = isApart ? closing(text, 0) + 1 : text.search(/\??: /)
  const [, optional, typed] = /^(\??): ([^]*)$/.exec(text.slice(end))
  const [type, given] = typed.split(/ = (?!>)/)
  return {
    name: isApart ? namedAfter(type) : text.slice(0, end),
    optional: optional === '?' || given !== undefined ? '?' : '',
    type: typeText(type),
  }
}

/** A name for a parameter that the source takes apart. */
function namedAfter(type) {
  if (/Options\b/.test(type)) return 'options'
  const [, list, name] = /^(readonly )?(?:Pick<)?(\w+)/.exec(type)
  return `${name[0].toLowerCase()}${name.slice(1)}${list === undefined ? '' : 's'}`
}

/** The index of the bracket that closes the one at `start`. */
function closing(text, start) {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '>' && text[i - 1] === '=') continue
    if ('([{<'.includes(text[i])) depth++
    if (')]}>'.includes(text[i]) && --depth === 0) return i
  }
  throw new Error(`a bracket is not closed: ${text.slice(start, start + 80)}`)
}

function splitList(text) {
  const parts = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if ('([{<'.includes(text[i])) i = closing(text, i)
    else if (text[i] === ',') {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '')
}

/** A type in one line, without its comments. Each member of a type literal has lines of its own. */
export function typeText(text) {
  const code = text.replace(/\/\*\*?(?:(?!\*\/)[^])*\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return oneLine(code.replace(/(?<=[\w)>\]'}])\n\s*(?=(?:readonly )?\w+\??[:(])/g, ', '))
    .replace(/^\| /, '')
    .replace(/([<([:]) \| /g, (_, before) => (before === ':' ? ': ' : before))
    .replace(/([<([]) /g, '$1')
    .replace(/,? ([>)\]])/g, '$1')
    .replace(/(\w\?: [^,()]*?) \| undefined(?=[,} ])/g, '$1')
}

/** The type of an optional member without its `undefined`, which `exactOptionalPropertyTypes` needs. */
export function givenType(text) {
  const [, type = text] = /^(.+) \| undefined$/.exec(text) ?? []
  return type.startsWith('(') && closing(type, 0) === type.length - 1 ? type.slice(1, -1) : type
}

export function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim()
}
