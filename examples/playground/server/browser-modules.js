// Serves the files that Node runs to a browser, without a bundler: follows the imports of a package, serves each file by its own URL, and
// writes the import map that resolves package names.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'

const root = '/modules'

/** Everything that `name` imports, resolved from the file at `from`. Only imported files are served. */
export function createModules(name, from) {
  const imports = {}
  const files = new Map()
  follow(name, from)

  function follow(specifier, importer) {
    const file = createRequire(importer).resolve(specifier)
    const url = urlOf(file)
    if (!specifier.startsWith('.')) imports[specifier] = `${root}${url}`
    if (files.has(url)) return
    const source = readFileSync(file, 'utf8')
    const isModule = packageOf(file).manifest.type === 'module' || extname(file) === '.mjs'
    files.set(url, isModule ? source : asModule(source))
    if (isModule) for (const imported of importsOf(source)) follow(imported, file)
  }

  /** Sends an HTML file and replaces its comment `importmap` by the import map. */
  function page(file) {
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
    return (_request, response) => {
      response.type('html').send(readFileSync(file, 'utf8').replace('<!-- importmap -->', map))
    }
  }

  function serve({ path }, response, next) {
    const source = files.get(path)
    if (source === undefined) next()
    else response.type('text/javascript').set('Cache-Control', 'no-cache').send(source)
  }

  return { page, serve }
}

/** The names in static imports and exports. Code in comments or strings imports nothing. */
function importsOf(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const statement =
    /(?:^|;)\s*(?:import\s*|(?:import|export)\b[^'";=()]*?\bfrom\s*)(["'])([^"'\n]+)\1/gm
  return Array.from(code.matchAll(statement), ([, , name]) => name)
}

/** Converts a CommonJS file without `require`, as in some of the smallest packages. */
function asModule(source) {
  return `const module = { exports: {} }
const exports = module.exports
${source}
export default module.exports
`
}

function urlOf(file) {
  const { folder, manifest } = packageOf(file)
  return `/${manifest.name}/${relative(folder, file).replaceAll('\\', '/')}`
}

function packageOf(file) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      if (manifest.name !== undefined) return { folder, manifest }
    } catch (error) {
      if (folder === dirname(folder)) throw error
    }
  }
}
