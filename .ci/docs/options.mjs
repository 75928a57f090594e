import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspace.mjs'
import { givenType, oneLine, typeText } from './declarations.mjs'

const list = /^<!-- options: (?<file>[^\s#]+)#(?<name>\S+) -->\n(?:\n(?:- .*\n)+)?/gm

/** The page with the current lists of options. */
export function optionsTable(page) {
  return page.replace(list, (...match) => {
    const { file, name } = match.at(-1)
    const options = optionsOf(readFileSync(join(root, file), 'utf8'), name, file)
    const items = options.map((option) => itemOf(option))
    return `<!-- options: ${file}#${name} -->\n\n${items.join('\n')}\n`
  })
}

function itemOf({ name, type, isOptional, said }) {
  const [, meaning, given] = /^(.*?)(?:\s*@default (.*))?$/s.exec(said)
  if (meaning === '') throw new Error(`nothing is said of the option "${name}"`)
  const code = `\`${name}${isOptional ? '?' : ''}: ${type}\``
  const absent = given === undefined ? '' : ` (default ${wordsOrCode(given)})`
  return `- ${code}${isOptional ? absent : ' (required)'}: ${meaning}`
}

/** A default is a value, or a sentence about one. */
function wordsOrCode(text) {
  const isValue = /^(?:'[^']*'|[\d_]+|true|false|\w+(?:\(.*\)))$/.test(text)
  return isValue ? `\`${text}\`` : text
}

/** The members of an interface or a type literal, as declared: the formatter indents each by two spaces, below its comment. */
export function optionsOf(source, name, file) {
  const start = new RegExp(`^(?:export )?(?:interface|type) ${name}\\b`, 'm').exec(source)?.index
  if (start === undefined) throw new Error(`${file} has no interface "${name}"`)
  const declaration = source.slice(start, source.indexOf('\n}', start))
  return [...declaration.matchAll(member)].map(
    ({ groups: { said = '', name, optional, type } }) => ({
      name,
      isOptional: optional !== undefined,
      type: optional === undefined ? typeText(type) : givenType(typeText(type)),
      said: oneLine(said.replace(/^\s*\* ?/gm, ' ')),
    }),
  )
}

const comment = String.raw`(?: {2}\/\*\*(?<said>(?:(?!\*\/)[^])*)\*\/\n)?`
const declared = String.raw` {2}readonly (?<name>\w+)(?<optional>\?)?:(?<type>.*(?:\n(?: {3,}| {2}\}).*)*)`
const member = new RegExp(`^${comment}${declared}`, 'gm')
