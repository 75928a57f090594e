import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docs } from '../workspace.mjs'

export function saidOf({ name, doc }) {
  if (doc.said === '') throw new Error(`${name} has no TSDoc`)
  return doc.said
}

/** The first sentence of a text. A period within code or parentheses ends none. */
export function firstSentence(text) {
  const [sentence] = /^(?:`[^`]*`|\([^)]*\)|[^`(])*?[.:](?= |$)/.exec(text) ?? [text]
  return sentence.replace(/:$/, '.')
}

export function paramsOf({ params }) {
  return params.map((param) => `\`${param.replace(' ', '`: ')}.`).join(' ')
}

/** The errors, but for those that the page states once: a SluiceError for a wrong argument or option. */
export function throwsOf({ throws }) {
  const told = throws.filter(
    (text) =>
      !/^(?:SluiceError|RulesError) (?:immediately )?if [^;]*$/.test(text) || /SLUICE_/.test(text),
  )
  return told.length === 0 ? '' : `Throws: ${told.join('; ')}.`
}

/** Links to the options of a function. */
export function linkOf(signatures) {
  const params = signatures.flatMap((signature) => signature.params)
  const types = new Set(params.flatMap(({ type }) => type.match(/\w+/g)))
  const known = [...optionTables()].filter(([name]) => types.has(name))
  const links = new Set(known.map(([, { title, anchor }]) => `[${title}](options.md#${anchor})`))
  return links.size === 0 ? '' : `Options: ${[...links].join(', ')}.`
}

/** A type of options as a link to its table, if it has one. */
export function optionsLink({ name }) {
  const table = optionTables().get(name)
  return table === undefined ? undefined : `[\`${name}\`](options.md#${table.anchor})`
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
