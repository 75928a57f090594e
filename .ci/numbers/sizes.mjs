import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const programs = {
  'all of core': `export * from '@sluice/core'`,
  'createLimiter, memoryStore, slidingWindow': `
    export { createLimiter, memoryStore, slidingWindow } from '@sluice/core'
  `,
  'createLimiter, fixedWindow': `
    import { createLimiter, fixedWindow } from '@sluice/core'
    const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 100, window: '1m' }) })
    console.log(limiter.consume('key').allowed)
  `,
  notLimited: `export { notLimited } from '@sluice/core'`,
  'rateLimit of fetch': `
    import { memoryStore, rateLimit, slidingWindow } from '@sluice/fetch'
    const policies = slidingWindow({ limit: 100, window: '1m' })
    export default { fetch: rateLimit({ policies, store: memoryStore() })(() => new Response('hello')) }
  `,
}

/** The kilobytes of an installed package, with its sources and maps. */
export function sizeOf(name, project) {
  const entries = readdirSync(join(project, 'node_modules', name), {
    recursive: true,
    withFileTypes: true,
  })
  const files = entries.filter((entry) => entry.isFile())
  return kilobytesOf(files.map((entry) => join(entry.parentPath, entry.name)))
}

/** The kilobytes of each program with all that it imports, minified and gzipped. */
export async function programSizes(project) {
  const sizes = {}
  for (const [name, contents] of Object.entries(programs)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: project },
      bundle: true,
      minify: true,
      format: 'esm',
      // On an edge runtime, an import of a module of Node would be an error.
      platform: contents.includes('@sluice/fetch') ? 'browser' : 'node',
      write: false,
    })
    sizes[name] = kilobytes(gzipSync(outputFiles[0].contents).length)
  }
  return sizes
}

export function kilobytesOf(files) {
  return kilobytes(files.reduce((sum, file) => sum + statSync(file).size, 0))
}

/** Rounded to a tenth. */
function kilobytes(bytes) {
  return Math.round(bytes / 100) / 10
}
