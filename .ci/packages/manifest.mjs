import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { root } from '../workspace.mjs'

const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Checks the fields that npm shows or installs by. Apart from the package's own ones, they are the same in all packages. */
export function checkManifest(folder, manifest) {
  const page = workspace.repository.url.replace(/^git\+(.*)\.git$/, '$1')
  const { name, description, keywords, homepage, bugs, license, repository, engines } = manifest
  assert.deepEqual(
    { name, homepage, bugs, license, repository, engines },
    {
      name: `@sluice/${folder}`,
      homepage: `${page}/tree/main/packages/${folder}#readme`,
      bugs: `${page}/issues`,
      license: workspace.license,
      repository: { ...workspace.repository, directory: `packages/${folder}` },
      engines: workspace.engines,
    },
  )
  assert.ok(description.length > 0, `${name} has no description`)
  assert.ok(keywords.includes('rate-limit'), `${name} is not found by "rate-limit"`)
  assert.equal(manifest.sideEffects, false, `${name} does not shake`)
  assert.equal(manifest.publishConfig.access, 'public', `${name} would not be published`)
  checkDependencies(manifest)
  checkImports(join(root, 'packages', folder), manifest)
}

/** Every package that a module imports is declared. An installation of several packages could hide that it is not. */
function checkImports(folder, { name, dependencies = {}, peerDependencies = {} }) {
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  // A bundle contains the packages that its modules in dist import.
  const bundle = join(folder, 'bundle')
  const imported = importsIn(existsSync(bundle) ? bundle : join(folder, 'dist'))
  const absent = [...new Set(imported)].filter((each) => !declared.has(each))
  assert.deepEqual(absent, [], `${name} imports these without declaring them`)
}

/** The packages that the modules of a folder import at their top. */
function importsIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) =>
    /^(?!page\/).*\.js$/.test(file),
  )
  return files
    .flatMap((file) => parseAst(readFileSync(join(folder, file), 'utf8')).body)
    .flatMap(({ source }) => /^(?:@[^/]+\/)?[^./][^/]*/.exec(source?.value ?? '')?.[0] ?? [])
    .filter((each) => !isBuiltin(each))
}

/**
 * An application with several adapters has one core if each adapter accepts any compatible core. A fixed version would install a second
 * core, which does not know the stores and errors of the first.
 */
function checkDependencies({ name, dependencies, peerDependencies = {} }) {
  if (name === '@sluice/core') assert.equal(dependencies, undefined)
  else assert.equal(dependencies['@sluice/core'], 'workspace:^')
  for (const [peer, range] of Object.entries(peerDependencies)) {
    assert.match(range, /^\^\d+(\.\d+)*( \|\| \^\d+(\.\d+)*)*$/, `${name}: ${peer} of any version`)
  }
}
