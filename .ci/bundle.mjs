// Bundles each package whose exports name a bundle, from the output of the compiler: an application then loads a few files instead of one for each module.
// The dependencies that npm does not install become part of the bundle. The entries of a package share chunks, so each module is in one file only.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { parseAst } from 'vite'
import { members } from './workspace.mjs'

/** The types of expressions that may have effects, as far as a bundler knows. */
const effective = new Set([
  'ArrayExpression',
  'BinaryExpression',
  'CallExpression',
  'LogicalExpression',
  'MemberExpression',
  'NewExpression',
  'ObjectExpression',
  'TemplateLiteral',
])

for (const { folder, manifest } of members()) {
  const entries = entriesOf(manifest)
  if (entries.length > 0) await bundle(folder, manifest, entries)
}

/** The names of the bundled entries: `index`, `http/index`. */
function entriesOf({ exports = {} }) {
  return Object.values(exports).flatMap(({ default: file }) => {
    const [, name] = /^\.\/bundle\/(.*)\.js$/.exec(file) ?? []
    return name === undefined ? [] : [name]
  })
}

async function bundle(folder, { dependencies = {}, peerDependencies = {} }, entries) {
  const target = join(folder, 'bundle')
  const effects = entries.flatMap((entry) => effectsOf(folder, entry))
  const installed = Object.keys({ ...dependencies, ...peerDependencies })
  rmSync(target, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...entries, ...effects.map(({ module }) => module)].map((entry) => ({
      in: `dist/${entry}.js`,
      out: entry,
    })),
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: installed.flatMap((dependency) => [dependency, `${dependency}/*`]),
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  })
  for (const file of Object.keys(metafile.outputs)) {
    if (file.endsWith('.js')) rewrite(join(folder, file), (text) => markPure(withClassNames(text)))
    else rewrite(join(folder, file), (text) => withoutOwnSources(text, join(folder, file), folder))
  }
  for (const { entry, module } of effects) importForEffect(target, entry, module)
  writeNotices(
    target,
    Object.keys(metafile.inputs).map((input) => join(folder, input)),
  )
}

/** The modules that an entry imports for their effect only. */
function effectsOf(folder, entry) {
  const text = readFileSync(join(folder, 'dist', `${entry}.js`), 'utf8')
  return [...text.matchAll(/^import '(.*)\.js';$/gm)].map(([, path]) => ({
    entry,
    module: join(dirname(entry), path),
  }))
}

/** esbuild has left the import out, because package.json says that no file has an effect. In a file of its own, the bundler of an application can do the same. */
function importForEffect(target, entry, module) {
  const file = join(target, `${entry}.js`)
  const path = relative(dirname(entry), module)
  writeFileSync(file, `import './${path}.js'; ${readFileSync(file, 'utf8')}`)
}

/**
 * Marks the value of each variable of a module as free of effects, so that the bundler of an application can leave out what the application does not use.
 * package.json declares it of whole files, which would be enough for one file for each module.
 */
function markPure(code) {
  let text = code
  const variables = parseAst(text).body.flatMap((node) => node.declarations ?? [])
  for (const { init } of variables.toReversed()) {
    if (!effective.has(init?.type)) continue
    // Only a call can be marked.
    const marked = `/* @__PURE__ */ (() => (${text.slice(init.start, init.end)}))()`
    text = text.slice(0, init.start) + marked + text.slice(init.end)
  }
  return text
}

/** A class that refers to itself keeps its name, which stack traces and logs show: esbuild writes `X = class _X`. */
function withClassNames(code) {
  const renamed = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name)
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), name), code)
}

/** The package contains its own sources, so its maps need only those of the bundled packages. */
function withoutOwnSources(text, file, folder) {
  const map = JSON.parse(text)
  const isOwn = (source) => join(dirname(file), source).startsWith(join(folder, 'src', '/'))
  const sourcesContent = map.sources.map((source, i) =>
    isOwn(source) ? null : map.sourcesContent[i],
  )
  return JSON.stringify({ ...map, sourcesContent })
}

function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** The licenses of the bundled packages require that their text is passed on. */
function writeNotices(target, inputs) {
  const notices = inputs.flatMap((input) => {
    const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\/.*$/.exec(input) ?? []
    return folder === undefined ? [] : [[name, folder]]
  })
  if (notices.length === 0) return
  const texts = [...new Map(notices)].map(([name, folder]) => `${name}\n\n${licenseOf(folder)}`)
  writeFileSync(join(target, 'LICENSES.txt'), texts.join(`\n\n${'-'.repeat(80)}\n\n`))
}

function licenseOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${folder} contains no license`)
  return readFileSync(join(folder, file), 'utf8').trim()
}
