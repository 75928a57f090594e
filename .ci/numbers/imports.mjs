import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { run } from '../command.mjs'

/**
 * The files that a new process loads when it imports a package: its own and those of its dependencies, not those of the framework. The coverage of V8 lists
 * every module, in either format.
 */
export function modulesOf(name, project) {
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
