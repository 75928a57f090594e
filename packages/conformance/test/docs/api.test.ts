import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const packages = [
  'core',
  'express',
  'koa',
  'fastify',
  'fetch',
  'hono',
  'nestjs',
  'postgres',
  'testing',
  'sockets',
  'client',
  'metrics',
  'dashboard',
  'rules',
  'cli',
]

interface EntryPoint {
  readonly owner: string
  readonly entry: string
  readonly file: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

const entryPoints: readonly EntryPoint[] = packages.flatMap((folder) => {
  const { name: owner, exports }: Manifest = JSON.parse(read(`packages/${folder}/package.json`))
  return Object.entries(exports).flatMap(([path, target]) => {
    // The names that packages share are not for applications.
    if (typeof target === 'string' || path === './internal') return []
    const source = target.types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts')
    return { owner, entry: owner + path.slice(1), file: `packages/${folder}/src/${source}` }
  })
})

/** The names that the reference has, by the package. */
const documented = new Map<string, Set<string>>(
  packages.map((name) => [`@sluice/${name}`, new Set()]),
)
for (const page of readdirSync(`${root}packages/docs/reference`).filter((name) =>
  /^api.*\.md$/.test(name),
)) {
  const sections = read(`packages/docs/reference/${page}`).matchAll(
    /^<!-- api \w+: (@sluice\/\w+)\S*([^>]*?)-->\n([^]*?)^<!-- \/api -->$/gm,
  )
  for (const [, owner, asked, content] of sections) {
    // The generator writes the names that a `*` stands for.
    const names = asked.trim() === '*' ? content.match(/\w+/g) : asked.split(/\s+/)
    for (const path of names ?? []) documented.get(owner)?.add(path.split('.')[0])
  }
}

describe.each(entryPoints)('$entry', ({ owner, file }) => {
  const names = exportedNames(file)

  test('the API reference has every name that it exports', () => {
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => documented.get(owner)?.has(name) !== true)).toEqual([])
  })

  test('the lists of the entry point have every value that it exports', async () => {
    const loaded: object = await import(`${root}${file}`)
    const core = entryPoints.filter((one) => one.owner === '@sluice/core')
    const all = new Set([...names, ...core.flatMap((one) => exportedNames(one.file))])
    expect(Object.keys(loaded).filter((name) => !all.has(name))).toEqual([])
  })
})

/** The names in the lists of an entry point, and those that it declares itself. Those of `export *` from another package belong to that package. */
function exportedNames(file: string): readonly string[] {
  const source = read(file)
  const lists = Array.from(source.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list]) => list)
  const own = source.matchAll(/^export (?:async )?(?:function|interface|class|type|const) (\w+)/gm)
  const items = lists.flatMap((list) => list.split(',')).map((item) => item.trim())
  const names = items.map((item) => item.replace(/^type /, '').replace(/^.* as /, ''))
  const nested = source.matchAll(/^export \* from '\.\/([^']+)\.js'/gm)
  const folder = file.slice(0, file.lastIndexOf('/'))
  const rest = Array.from(nested, ([, path]) => exportedNames(`${folder}/${path}.ts`))
  const declared = Array.from(own, ([, name]) => name)
  return [...names.filter((name) => name !== ''), ...declared, ...rest.flat()]
}

function read(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8')
}
