import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { members, root } from '../workspace.mjs'
import { docOf } from './declarations.mjs'

/**
 * The public names of an entry point, such as `@sluice/core/http`: a map from each name to its declaration. The names of other packages that it
 * re-exports belong to the reference of those packages.
 */
export function publicNames(entry) {
  return namesIn(entryFile(entry))
}

/** The names of an entry point that none below it has: those of `@sluice/core/http/application` are not those of `@sluice/core/http`. */
export function ownNames(entry) {
  const below = entryPoints().filter(
    ([name]) => name.startsWith(`${entry}/`) && !name.endsWith('/internal'),
  )
  const names = new Set(below.flatMap(([name]) => Array.from(publicNames(name).keys())))
  return new Map([...publicNames(entry)].filter(([name]) => !names.has(name)))
}

/** The entry points that applications can import, with the source file of each. */
function entryPoints() {
  return members()
    .filter(({ manifest }) => manifest.private !== true)
    .flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports ?? {})
        .filter(([, { types }]) => types !== undefined)
        .map(([path, { types }]) => [
          manifest.name + path.slice(1),
          join(folder, types.replace('./dist/', './src/').replace(/\.d\.ts$/, '.ts')),
        ]),
    )
}

function entryFile(entry) {
  const [, file] = entryPoints().find(([name]) => name === entry) ?? []
  if (file === undefined) throw new Error(`there is no entry point ${entry}`)
  return file
}

const sources = new Map()

function sourceOf(file) {
  if (!sources.has(file)) sources.set(file, readFileSync(file, 'utf8'))
  return sources.get(file)
}

const ownExport = /^export (?:async )?(?:function|interface|class|type|const) (?<name>\w+)/gm
const exportList = /^export (?:type )?(?:\{(?<list>[^}]*)\}|(?<all>\*)) from '(?<from>[^']+)'/gm

function namesIn(file) {
  const names = new Map()
  for (const { groups } of sourceOf(file).matchAll(ownExport)) {
    const { name } = groups
    names.set(name, { ...declarationIn(file, name), name, local: name })
  }
  for (const { groups } of sourceOf(file).matchAll(exportList)) {
    const { list, all, from } = groups
    const target = fileOf(from, file)
    if (all !== undefined) {
      if (target === undefined) continue
      for (const [name, declaration] of namesIn(target)) names.set(name, declaration)
      continue
    }
    for (const { local, name } of itemsIn(list)) {
      const declaration =
        target === undefined ? publicNames(from).get(local) : declarationIn(target, local)
      names.set(name, { ...declaration, name, local })
    }
  }
  return names
}

function itemsIn(list) {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [local, name = local] = item.split(' as ')
      return { local, name }
    })
}

/** The file of an import. Undefined if it belongs to another package. */
function fileOf(from, importer) {
  if (!from.startsWith('.')) return undefined
  return normalize(join(dirname(importer), from.replace(/\.js$/, '.ts')))
}

/** A declaration: its kind, its text, and its TSDoc. */
function declarationIn(file, name) {
  const source = sourceOf(file)
  const start = new RegExp(
    String.raw`^export (?:async )?(?<kind>function|interface|class|type|const) ${name}\b`,
    'm',
  )
  const found = start.exec(source)
  if (found !== null) {
    const { index, groups } = found
    const { kind } = groups
    const rest = source.slice(index)
    return { kind, text: textOf(rest, kind), rest, doc: docBefore(source, index) }
  }
  for (const { groups } of source.matchAll(exportList)) {
    const target = fileOf(groups.from, file)
    const item = itemsIn(groups.list ?? '').find((one) => one.name === name)
    if (item !== undefined && target !== undefined && existsSync(target)) {
      return declarationIn(target, item.local)
    }
  }
  throw new Error(`${file.slice(root.length + 1)} does not declare ${name}`)
}

// The formatter puts the end of a declaration at the beginning of a line.
function textOf(rest, kind) {
  const isBlock = kind === 'interface' || kind === 'class'
  if (!isBlock) return rest.split('\n\n', 1)[0]
  return `${rest.replace(/^(.*\{)\}/, '$1\n}').split('\n}', 1)[0]}\n}`
}

const commentBefore = /\/\*\*(?<text>(?:(?!\*\/)[^])*)\*\/\s*(?:\/\/[^\n]*\n\s*)*$/

function docBefore(source, index) {
  const { groups } = commentBefore.exec(source.slice(0, index)) ?? {}
  return docOf(groups?.text ?? '')
}
