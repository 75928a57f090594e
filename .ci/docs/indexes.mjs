import { basename, dirname, join, relative, resolve } from 'node:path'
import { root } from '../workspace.mjs'

const index = join(root, 'packages', 'core', 'docs', 'README.md')

/** The pages that nobody would find: the index has to link those of all packages, and an adapter's README its own as well. */
export function unlinkedPages(file, page, pages) {
  const targets = linksOf(page).map((target) => resolve(dirname(file), target.split('#')[0]))
  const linked = new Set(targets)
  return pages
    .filter((other) => other !== index && hasToLink(file, other) && !linked.has(other))
    .map((other) => `this page is not linked: ${relative(dirname(file), other)}`)
}

/** The targets of a page's links within this repository. */
function linksOf(page) {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups.target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

function hasToLink(file, other) {
  const docs = dirname(other)
  if (basename(docs) !== 'docs') return false
  return file === index || (docs !== dirname(index) && file === join(dirname(docs), 'README.md'))
}
