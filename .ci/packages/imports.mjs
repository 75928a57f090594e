import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { run } from '../command.mjs'
import { createProject } from './project.mjs'
import { kilobytes, kilobytesIn } from './sizes.mjs'

/** The modules that the import of a package enters, and their size. Raise one of these only on purpose. */
const ceilings = {
  core: { modules: 3, kilobytes: 545 },
  express: { modules: 6, kilobytes: 549 },
  koa: { modules: 6, kilobytes: 549 },
  fetch: { modules: 7, kilobytes: 560 },
  hono: { modules: 9, kilobytes: 563 },
  fastify: { modules: 9, kilobytes: 556 },
  nestjs: { modules: 6, kilobytes: 575 },
  sqlite: { modules: 9, kilobytes: 585 },
  postgres: { modules: 12, kilobytes: 595 },
  client: { modules: 6, kilobytes: 563 },
  metrics: { modules: 3, kilobytes: 570 },
  dashboard: { modules: 6, kilobytes: 642 },
  sockets: { modules: 6, kilobytes: 563 },
  testing: { modules: 16, kilobytes: 607 },
  rules: { modules: 175, kilobytes: 2270 },
}

/** The kilobytes of the adapter of Express and core on the disk, with their sources and maps. */
const mostInstalled = 2555

/** The modules that a process loads with each package: its own and those of its dependencies, not those of the framework. */
export async function* imports(packages, folder) {
  const libraries = packages.filter(({ manifest }) => manifest.bin === undefined)
  const project = createProject(join(folder, 'imports'), packages, {
    dependencies: libraries.map(({ manifest }) => manifest.name),
    files: {},
  })
  const found = libraries.flatMap(({ name, manifest }) => {
    const most = ceilings[name]
    assert.ok(most, `imports.mjs has no ceilings for ${name}`)
    const loaded = modulesOf(manifest.name, project)
    const size = loaded.reduce((sum, file) => sum + statSync(file).size, 0)
    return [
      { what: `${name}, modules of the import`, is: loaded.length, most: most.modules },
      { what: `${name}, kB of the import`, is: kilobytes(size), most: most.kilobytes },
    ]
  })
  const installed = ['core', 'express'].map((name) => join(project, 'node_modules/@sluice', name))
  const onDisk = kilobytesIn(...installed)
  found.push({ what: 'core and express, kB installed', is: onDisk, most: mostInstalled })

  for (const { what, is, most } of found) yield `${what}: ${is} of ${most}`
  const over = found.filter(({ is, most }) => is > most)
  assert.deepEqual(over, [], 'more than imports.mjs allows')
}

/** The files that a new process loads when it imports a package. The coverage of V8 lists every module, in either format. */
function modulesOf(name, project) {
  const coverage = join(project, `coverage-of-${name.replace('/', '-')}`)
  const program = ['--input-type=module', '--eval', `await import('${name}')`]
  const env = { ...process.env, NODE_V8_COVERAGE: coverage }
  run(process.execPath, program, { cwd: project, env })
  const [file] = readdirSync(coverage)
  const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8'))
  const own = dependenciesOf(name, project).map((dependency) => join(project, dependency, '/'))
  return result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url }) => fileURLToPath(url))
    .filter((path) => own.some((dependency) => path.startsWith(dependency)))
}

/** The installed folders of a package and all its dependencies, without its peers. */
function dependenciesOf(name, project) {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const found = new Set()
  const open = [`node_modules/${name}`]
  for (const path of open) {
    if (found.has(path)) continue
    found.add(path)
    const { dependencies = {} } = packages[path]
    for (const dependency of Object.keys(dependencies)) {
      const nested = `${path}/node_modules/${dependency}`
      open.push(nested in packages ? nested : `node_modules/${dependency}`)
    }
  }
  return [...found]
}
