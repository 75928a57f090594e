import { basename, join } from 'node:path'
import { run } from '../command.mjs'
import { members, pnpm } from '../workspace.mjs'

/** Packs each package that is published. */
export function packAll(folder) {
  return members()
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder: source, manifest }) => {
      const tarball = pack(source, manifest, folder)
      return { name: basename(source), source, manifest, tarball }
    })
}

/** A package after those of ours that it needs: none of them is on npm yet. */
export function withNeeded(one, packages) {
  const { dependencies = {} } = one.manifest
  return [...packages.filter(({ manifest }) => manifest.name in dependencies), one]
}

/** The names of dependencies, with those of our packages that they need, and so on. */
export function withAllNeeded(names, packages) {
  const all = new Set(names)
  for (const name of all) {
    const ours = packages.find(({ manifest }) => manifest.name === name)
    if (ours === undefined) continue
    for (const needed of withNeeded(ours, packages)) all.add(needed.manifest.name)
  }
  return [...all]
}

function pack(source, { name, version }, folder) {
  const [command, args] = pnpm('pack', '--pack-destination', folder)
  run(command, args, { cwd: source })
  return join(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
}
