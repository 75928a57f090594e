import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { members, root } from '../workspace.mjs'

/**
 * An empty project with the dependencies and the files that are named, installed by npm. Of Sluice it has the tarballs, of all else the
 * versions that the workspace is tested with.
 */
export function createProject(folder, packages, { dependencies, files, type = 'module' }) {
  mkdirSync(folder)
  const versions = dependencies.map((name) => [name, versionOf(name, packages)])
  const manifest = { private: true, type, dependencies: Object.fromEntries(versions) }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder })

  // Two cores in one application would be strangers: neither knows the other's stores and errors.
  const cores = installedIn(folder).filter((path) => path.endsWith('@sluice/core'))
  assert.deepEqual(cores, ['node_modules/@sluice/core'])
  return folder
}

/** Where npm has put packages, those inside of others included. */
export function installedIn(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  return Object.keys(packages).filter((path) => path !== '')
}

/**
 * Compiles as strictly as an application can, with the declarations of all that it imports. Those of others may have faults, and some do;
 * the application and our own may not.
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
