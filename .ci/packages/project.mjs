import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { members, root } from '../workspace.mjs'

/**
 * Creates an empty project with these dependencies and files. npm installs Sluice from the tarballs, and everything else in the tested versions, or in
 * those given.
 */
export function createProject(folder, packages, settings) {
  const { dependencies, versions = {}, files } = settings
  const tested = dependencies.map((name) => [name, versionOf(name, packages)])
  const all = { ...Object.fromEntries(tested), ...versions }
  const manifest = { private: true, type: 'module', dependencies: all }
  createFolder(folder, { ...files, 'package.json': JSON.stringify(manifest) })
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder })

  // With two cores in one application, neither would know the other's stores and errors.
  const cores = installedIn(folder).filter((path) => path.endsWith('@sluice/core'))
  assert.deepEqual(cores, ['node_modules/@sluice/core'])
  return folder
}

/** Creates a folder with these files. In the folder of a project, they can import its packages. */
export function createFolder(folder, files) {
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
}

/** The packages that a program imports. */
export function packagesOf(code) {
  const paths = code.matchAll(/(?:^import|from) '((?:@[^'/]+\/)?[^'./][^'/]*)[^']*'/gm)
  const names = Array.from(paths, ([, name]) => name)
  return [...new Set(names.filter((name) => !name.startsWith('node:')))]
}

/** The folders of the installed packages, including nested ones. */
export function installedIn(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  return Object.keys(packages).filter((path) => path !== '')
}

/**
 * Compiles with all strict options and checks the declarations of all imports. Errors in the declarations of other packages are ignored;
 * errors in the application and in Sluice are not.
 */
export function compile(folder, file, ...options) {
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { stdout } = spawnSync(tsc, [...strict, ...options, file], {
    cwd: folder,
    encoding: 'utf8',
  })
  const faults = stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): |^error /.test(line))
  const ours = faults.filter((line) => !/^node_modules\/(?!@sluice\/)/.test(line))
  assert.deepEqual(ours, [], `${file} does not compile`)
}

function versionOf(name, packages) {
  const ours = packages.find(({ manifest }) => manifest.name === name)
  if (ours !== undefined) return `file:${ours.tarball}`
  const file = members()
    .map(({ folder }) => join(folder, 'node_modules', name, 'package.json'))
    .find((path) => existsSync(path))
  assert.ok(file, `nothing in the workspace is tested with ${name}`)
  return JSON.parse(readFileSync(file, 'utf8')).version
}
