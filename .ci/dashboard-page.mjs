// Prepares the page of the dashboard: copies lit-html into `page/vendor`, so that `page` works in a browser as it is, and writes the files that the
// package contains, `bundle/page`: the same page in few small files, because the server asks `authorize` before each of
// them.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { root } from './workspace.mjs'

const folder = join(root, 'packages', 'dashboard')
const page = join(folder, 'page')
const target = join(folder, 'bundle', 'page')

/** The files of lit-html that the page imports. They import each other by relative paths. */
const litHtml = ['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/repeat.js']

copyLibrary(join(page, 'vendor'))
rmSync(target, { recursive: true, force: true })
await build({
  absWorkingDir: page,
  entryPoints: ['app.js', 'style.css'],
  outdir: target,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2023', 'chrome111', 'firefox115', 'safari16.4'],
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [{ name: 'without indentation', setup: withoutIndentation }],
})
copyFileSync(join(page, 'index.html'), join(target, 'index.html'))
writeFileSync(join(target, 'LICENSES.txt'), `lit-html\n\n${read('LICENSE')}`)

function copyLibrary(vendor) {
  rmSync(vendor, { recursive: true, force: true })
  for (const name of litHtml) {
    const types = name === 'lit-html.js' ? 'lit-html' : `lit-html/${name}`
    write(join(vendor, name), withoutMap(read(name)))
    write(join(vendor, name.replace(/js$/, 'd.ts')), `export * from '${types}'\n`)
  }
}

/** In a template, indentation is a part of the text. */
function withoutIndentation({ onLoad }) {
  onLoad({ filter: /page\/[^/]+\.js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(/\n\s+/g, '\n'),
  }))
}

/** Without the link to a map, which only the tools of a developer would request. */
function withoutMap(text) {
  return text.replace(/\/\/# sourceMappingURL=.*\n?/, '')
}

function read(file) {
  return readFileSync(join(folder, 'node_modules', 'lit-html', file), 'utf8')
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
