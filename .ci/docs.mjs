// Writes into the pages the parts that are taken from sources; with --check it writes nothing, and reports the differences. Markers:
//
//   <!-- code: examples/docs/keys.js#per-policy -->                        the block below it: a region of a file, or all of it
//   <!-- options: packages/core/src/limiter/arguments.ts#PeekOptions -->       the list below it: an interface's options
//   <!-- api list: @sluice/core Key Keys -->                               up to <!-- /api -->: a list of these public names, with their TSDoc
//   <!-- api brief: @sluice/core Key Keys -->                              the same, with the first sentence of the TSDoc
//   <!-- api names: @sluice/core Key Keys -->                              the same, with types by their names; `*` for all that the page has nowhere else
//
// It also finds code without a source, and pages of `packages/docs` that its index does not link. remark-validate-links (npm run lint) finds dead links.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { apiSections, withoutApi } from './docs/api.mjs'
import { codeFrom, strayCode } from './docs/code.mjs'
import { unlinkedPages } from './docs/indexes.mjs'
import { optionsTable } from './docs/options.mjs'
import { docs, members, root } from './workspace.mjs'

const isCheck = process.argv.includes('--check')
const all = pages()
const problems = all.flatMap((page) => {
  const text = readFileSync(page, 'utf8')
  const name = relative(root, page)
  try {
    const filled = apiSections(optionsTable(codeFrom(text)))
    if (!isCheck && filled !== text) {
      writeFileSync(page, filled)
      console.log(`${name}: written`)
    }
    const stale =
      isCheck && filled !== text ? ['differs from what it is taken from: npm run docs'] : []
    const found = [...stale, ...strayCode(withoutApi(filled)), ...unlinkedPages(page, filled, all)]
    return found.map((problem) => `${name}: ${problem}`)
  } catch (error) {
    return [`${name}: ${error.message}`]
  }
})

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

/** The pages at the root of the repository, in `packages/docs`, and in each other package. */
function pages() {
  const packages = members().map(({ folder }) => folder)
  const own = packages.flatMap((folder) => markdownIn(folder))
  return [...own, ...markdownIn(docs, { recursive: true })]
}

function markdownIn(folder, options) {
  const names = readdirSync(folder, options)
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('node_modules'))
    .map((name) => join(folder, name))
}
