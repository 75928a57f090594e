import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from '../workspace.mjs'
import { createProject, installedIn } from './project.mjs'

/** Raise one of these only on purpose. */
const ceilings = {
  all: 74,
  least: 33,
  dependencies: 0,
  installed: 2530,
  'minified, with createLimiter and fixedWindow': 87.5,
  'minified, with notLimited alone': 1,
}

/** The adapter of fetch, with a memory store and one policy. */
const mostOfFetch = 58.4

const programs = {
  fetch: `
    import { memoryStore, rateLimit, slidingWindow } from '@sluice/fetch'
    const policies = slidingWindow({ limit: 100, window: '1m' })
    export default { fetch: rateLimit({ policies, store: memoryStore() })(() => new Response('hello')) }
  `,
  all: `export * from '@sluice/core'`,
  least: `export { createLimiter, memoryStore, slidingWindow } from '@sluice/core'`,
  plain: `
    import { createLimiter, fixedWindow } from '@sluice/core'
    const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 100, window: '1m' }) })
    console.log(limiter.consume('key').allowed)
  `,
  symbol: `export { notLimited } from '@sluice/core'`,
}

/** The size of core: bundled, minified and gzipped, with its imports; and installed, with its sources and maps. */
export async function* sizes(packages, folder) {
  const project = createProject(join(folder, 'sizes'), packages, {
    dependencies: ['@sluice/core'],
    files: {},
  })
  const measured = {
    all: await bundled(programs.all, project),
    least: await bundled(programs.least, project),
    dependencies: installedIn(project).length - 1,
    installed: kilobytesIn(join(project, 'node_modules')),
    'minified, with createLimiter and fixedWindow': kilobytes(
      (await minified(programs.plain, project)).length,
    ),
    'minified, with notLimited alone': kilobytes((await minified(programs.symbol, project)).length),
  }
  yield (
    `core: ${measured.all} kB minified and gzipped, ${measured.least} kB for createLimiter, memoryStore and one policy; ` +
      `${measured.dependencies} dependencies, ${measured.installed} kB installed; minified, ` +
      `${measured['minified, with createLimiter and fixedWindow']} kB for createLimiter and fixedWindow, ` +
      `${measured['minified, with notLimited alone']} kB for notLimited alone`
  )
  for (const [what, most] of Object.entries(ceilings)) {
    assert.ok(measured[what] <= most, `${what}: ${measured[what]} where ${most} is the most`)
  }
  const said = `The core is ${Math.round(measured.all)} kB, minified and gzipped, and has no dependencies.`
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  assert.ok(readme.includes(said), `README.md must contain: ${said}`)
  yield* sizeOfFetch(packages, folder)
}

/** The size of a limit on an edge runtime. It is bundled for a browser, so an import of a module of Node would be an error. */
async function* sizeOfFetch(packages, folder) {
  const project = createProject(join(folder, 'sizes-fetch'), packages, {
    dependencies: ['@sluice/core', '@sluice/fetch'],
    files: {},
  })
  const size = await bundled(programs.fetch, project, 'browser')
  yield `fetch: ${size} of ${mostOfFetch} kB minified and gzipped, for a limit with a memory store and one policy`
  assert.ok(size <= mostOfFetch, `fetch: ${size} where ${mostOfFetch} is the most`)
}

async function bundled(contents, project, platform) {
  return kilobytes(gzipSync(await minified(contents, project, platform)).length)
}

async function minified(contents, project, platform = 'node') {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    write: false,
  })
  return outputFiles[0].contents
}

/** The size of all files in these folders. */
export function kilobytesIn(...folders) {
  const bytes = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
  return Math.round(kilobytes(bytes.reduce((sum, size) => sum + size, 0)))
}

/** Rounded to a tenth. */
export function kilobytes(bytes) {
  return Math.round(bytes / 100) / 10
}
