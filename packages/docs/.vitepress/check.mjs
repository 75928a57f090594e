// Reads the built site as a browser would: each link leads to a page and an anchor that exist, and nothing is loaded from another host.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { docs } from './paths.mjs'

const dist = join(docs, '.vitepress/dist')
const base = process.env.DOCS_BASE ?? '/'
const own = 'http://site.invalid'

const files = readdirSync(dist, { recursive: true }).map((name) => join(dist, name))
const pages = new Map(
  files.filter((file) => file.endsWith('.html')).map((file) => [file, pageOf(file)]),
)
const problems = [...[...pages.values()].flatMap(problemsOf), ...styles().flatMap(problemsOf)]

for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log(`${pages.size} pages: all links lead somewhere`)
process.exitCode = problems.length === 0 ? 0 : 1

function pageOf(file) {
  const html = readFileSync(file, 'utf8')
  const name = relative(dist, file)
  const tags = [...html.matchAll(/<(\w+)\s([^>]*)>/g)]
  const found = (names, attribute) =>
    tags
      .filter(([, tag]) => names.includes(tag))
      .flatMap(([, , attributes]) => valueOf(attributes, attribute) ?? [])
  return {
    name,
    url: addressOf(name),
    ids: new Set(tags.flatMap(([, , attributes]) => valueOf(attributes, 'id') ?? [])),
    links: found(['a'], 'href'),
    loads: [
      ...found(['link'], 'href'),
      ...found(['script', 'img', 'iframe', 'source'], 'src'),
    ].filter((link) => !link.startsWith('data:')),
  }
}

/** The files that the style sheets load. */
function styles() {
  return files
    .filter((file) => file.endsWith('.css'))
    .map((file) => {
      const loads = readFileSync(file, 'utf8').matchAll(/url\(["']?(?!data:)([^"')]+)/g)
      const name = relative(dist, file)
      return { name, url: addressOf(name), links: [], loads: Array.from(loads, ([, link]) => link) }
    })
}

function addressOf(name) {
  return new URL(base + name, own)
}

function problemsOf({ name, url, links, loads }) {
  const broken = links.map((link) => [link, problemOf(new URL(link, url), true)])
  const missing = loads.map((link) => [link, problemOf(new URL(link, url), false)])
  return [...broken, ...missing]
    .filter(([, problem]) => problem !== undefined)
    .map(([link, problem]) => `${name}: ${link}: ${problem}`)
}

function valueOf(attributes, name) {
  const [, value] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes) ?? []
  return value?.replaceAll('&amp;', '&').replaceAll('&quot;', '"')
}

function problemOf(url, mayLeave) {
  if (url.origin !== own) return mayLeave ? undefined : 'is loaded from another host'
  if (!url.pathname.startsWith(base)) return 'is outside the site'
  const path = decodeURIComponent(url.pathname.slice(base.length))
  const file = join(dist, path === '' || path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(file)) return 'does not exist'
  const anchor = decodeURIComponent(url.hash.slice(1))
  if (anchor === '' || !pages.has(file) || pages.get(file).ids.has(anchor)) return undefined
  return 'the page has no such anchor'
}
