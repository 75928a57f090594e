import { dirname, join, relative, resolve } from 'node:path'
import { docs } from '../workspace.mjs'

const index = join(docs, 'README.md')

/** The pages of `packages/docs` that the index does not link. */
export function unlinkedPages(file, page, pages) {
  if (file !== index) return []
  const linked = new Set(linksOf(page).map((target) => resolve(docs, target.split('#')[0])))
  return pages
    .filter((other) => dirname(other).startsWith(docs) && other !== index && !linked.has(other))
    .map((other) => `this page is not linked: ${relative(docs, other)}`)
}

/** The targets of a page's links within this repository. */
function linksOf(page) {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups.target)
    .filter((target) => !/^[a-z]+:/.test(target))
}
