// Bundles each package whose exports name a bundle, from the output of the compiler: an application then loads a few files instead of one for each module.
// The dependencies that npm does not install become part of the bundle. If a package has several entries, they pass on the exports of one file with their code:
// a further file takes longer to load than the code that an application does not use. Only entries that most applications never load have files of their own.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { parseAst } from 'vite'
import { finish } from './bundling/finish.mjs'
import { writeNotices } from './bundling/notices.mjs'
import { entriesOf, members } from './workspace.mjs'

/** The lines of a module that pass on all exports of an installed package. */
const star = /^export \* from '[^.].*';\n/gm

/** The program that a module starts as a thread. */
const thread = /\bnew Worker\(new URL\('([^'/]*)\.js', import\.meta\.url\)/g

/** Entries that most applications never load. They contain the modules that no other entry has, and import the others from the file of all code. */
const apart = new Set([
  'astro',
  'elysia',
  'next',
  'react-router',
  'stores/database/index',
  'sveltekit',
])

for (const { folder, manifest } of members()) {
  const entries = entriesOf(manifest)
  if (entries.length === 0) continue
  withoutLuaComments(join(folder, 'dist'))
  await bundle(folder, manifest, entries)
}

/** Empties the lines of Lua that are comments: an application would load them, and send them to Redis. The numbers of the other lines stay. */
function withoutLuaComments(dist) {
  for (const name of modulesIn(dist)) {
    const file = join(dist, name)
    const text = readFileSync(file, 'utf8')
    const shorter = text.replace(/^ *-- .*$/gm, '')
    if (shorter !== text) writeFileSync(file, shorter)
  }
}

async function bundle(folder, { dependencies = {}, peerDependencies = {} }, entries) {
  const target = join(folder, 'bundle')
  const installed = Object.keys({ ...dependencies, ...peerDependencies })
  const options = {
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: installed.flatMap((dependency) => [dependency, `${dependency}/*`]),
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  }
  const alone = entries.filter((entry) => apart.has(entry)).map((entry) => ({ entry, as: entry }))
  alone.push(...threadsOf(folder))
  const joined = entries.filter((entry) => !apart.has(entry))
  const modules = joined.map((entry) => `./dist/${entry}.js`)
  const isOne = entries.length === 1
  const found = isOne ? [] : await exportsOf(options, modules)
  const shared = new Set(found.flatMap(({ inputs }) => inputs))
  const used = alone.map(({ entry }) => importsFrom(folder, `dist/${entry}.js`, shared))
  const exported = allExports([...found, ...used.flat()])
  const file = join(target, isOne ? `${entries[0]}.js` : 'code.js')
  const contents = exported.map(passedOn).join('\n')
  rmSync(target, { recursive: true, force: true })
  const { metafile } = await build({
    ...options,
    ...(isOne
      ? { entryPoints: modules }
      : { stdin: { contents, resolveDir: folder }, plugins: [withoutStars(folder, joined)] }),
    outfile: file,
  })
  finish(file, folder)
  if (!isOne) for (const entry of joined) writeEntry(folder, entry, exported)
  for (const { entry, as } of alone) {
    const outfile = join(target, `${as}.js`)
    const plugins = [fromCode(folder, pathOf(as, 'code'), shared, exported)]
    await build({ ...options, plugins, entryPoints: [`./dist/${entry}.js`], outfile })
    finish(outfile, folder)
  }
  const inputs = Object.keys(metafile.inputs).filter((input) => input !== '<stdin>')
  writeNotices(
    target,
    inputs.map((input) => join(folder, input)),
  )
}

/** The programs of threads. The module that starts one names it by its URL, so it is a file beside the bundle. */
function threadsOf(folder) {
  const dist = join(folder, 'dist')
  return modulesIn(dist).flatMap((module) => {
    const urls = readFileSync(join(dist, module), 'utf8').matchAll(thread)
    return Array.from(urls, ([, as]) => ({ entry: join(dirname(module), as), as }))
  })
}

/** The names that a module, and the modules that only it needs, import from those of other entries, by their module. */
function importsFrom(folder, module, shared, seen = new Set()) {
  if (seen.has(module)) return []
  seen.add(module)
  const { body } = parseAst(readFileSync(join(folder, module), 'utf8'))
  return body.flatMap(({ source, specifiers }) => {
    if (!source?.value.startsWith('.')) return []
    const path = join(dirname(module), source.value)
    if (!shared.has(path)) return importsFrom(folder, path, shared, seen)
    const names = specifiers.map(({ imported, local }) => (imported ?? local).name)
    return [{ module: `./${path}`, names }]
  })
}

/** Imports the modules of other entries from the file of all code: two copies of a module would have a state each. */
function fromCode(folder, code, shared, exported) {
  const name = 'from code'
  const setup = (build) => {
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir, namespace }) => {
      if (namespace === name) return { path, external: true }
      const module = relative(folder, join(resolveDir, path))
      return shared.has(module) ? { path: module, namespace: name } : undefined
    })
    build.onLoad({ filter: /./, namespace: name }, ({ path }) => {
      const own = exported.filter(({ module }) => module === `./${path}`)
      const names = own.map((each) => `${each.as} as ${each.name}`)
      return { contents: `export { ${names.join(', ')} } from '${code}'` }
    })
  }
  return { name, setup }
}

/** The names that each module exports, and the modules that it contains, by the module. */
async function exportsOf(options, modules) {
  const found = modules.map(async (module) => {
    const { metafile } = await build({
      ...options,
      entryPoints: [module],
      outdir: 'out',
      write: false,
    })
    const outputs = Object.values(metafile.outputs)
    const { exports: names } = outputs.find(({ entryPoint }) => entryPoint !== undefined)
    return { module, names, inputs: Object.keys(metafile.inputs) }
  })
  return Promise.all(found)
}

/** Each export of a module, and its name in the file of all code, where two modules can have an export of one name. */
function allExports(exported) {
  const used = new Map()
  const byModule = new Map()
  for (const { module, names } of exported) {
    byModule.set(module, new Set([...(byModule.get(module) ?? []), ...names]))
  }
  return [...byModule].flatMap(([module, names]) =>
    Array.from(names, (name) => {
      const times = used.get(name) ?? 0
      used.set(name, times + 1)
      return { module, name, as: times === 0 ? name : `${name}$${times}` }
    }),
  )
}

function passedOn({ module, name, as }) {
  return `export { ${name} as ${as} } from '${module}'`
}

/** Writes an entry that passes on its exports. It imports the modules that it has for their effect: esbuild leaves them out, because of package.json. */
function writeEntry(folder, entry, exported) {
  const effects = effectsOf(folder, entry)
  const imports = effects.map((module) => {
    const text = withImportsFrom(pathOf(module, 'code'), textOf(folder, module), exported)
    writeModule(folder, module, text)
    return `import '${pathOf(entry, module)}';\n`
  })
  const own = exported.filter(({ module }) => module === `./dist/${entry}.js`)
  const names = own.map(({ name, as }) => (name === as ? name : `${as} as ${name}`))
  const exports = `export { ${names.join(', ')} } from '${pathOf(entry, 'code')}';\n`
  writeModule(folder, entry, imports.join('') + exports + starsOf(folder, entry).join(''))
}

/** The lines of an entry that pass on all exports of an installed package. */
function starsOf(folder, entry) {
  return [...textOf(folder, entry).matchAll(star)].map(([line]) => line)
}

/** Leaves these lines out of the file of all code. A program would otherwise contain all of such a package, because esbuild copies its exports one by one. */
function withoutStars(folder, entries) {
  const name = 'without stars'
  const paths = new Map(entries.map((entry) => [join(folder, `dist/${entry}.js`), entry]))
  const setup = (build) => {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const entry = paths.get(path)
      return entry === undefined
        ? undefined
        : { contents: textOf(folder, entry).replace(star, '\n') }
    })
  }
  return { name, setup }
}

/** The modules that an entry imports for their effect only. */
function effectsOf(folder, entry) {
  const imports = textOf(folder, entry).matchAll(/^import '(.*)\.js';$/gm)
  return [...imports].map(([, path]) => join(dirname(entry), path))
}

/** Imports from the file of all code: two copies of a module would have a state each. */
function withImportsFrom(path, text, exported) {
  return text.replace(/^import \{ (.*) \} from '.*';$/gm, (_, names) => {
    const stray = names.split(', ').find((name) => !exported.some(({ as }) => as === name))
    if (stray !== undefined) throw new Error(`no entry exports ${stray}`)
    return `import { ${names} } from '${path}';`
  })
}

/** The path of a module in the import of another one. */
function pathOf(importer, module) {
  return `${relative(dirname(importer), module)}.js`.replace(/^(?!\.)/, './')
}

function modulesIn(dist) {
  return readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.js'))
}

function textOf(folder, module) {
  const text = readFileSync(join(folder, 'dist', `${module}.js`), 'utf8')
  return text.replace(/^\/\/# sourceMappingURL.*$/m, '')
}

function writeModule(folder, module, text) {
  const file = join(folder, 'bundle', `${module}.js`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
