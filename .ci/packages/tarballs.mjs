import { basename, join } from 'node:path'
import { run } from '../command.mjs'
import { members, pnpm, root } from '../workspace.mjs'

/** Packs each package that is published. */
export function packAll(folder) {
  const published = members().filter(({ manifest }) => manifest.private !== true)
  const filters = published.flatMap(({ manifest }) => ['--filter', manifest.name])
  const [command, args] = pnpm('--recursive', ...filters, 'pack', '--pack-destination', folder)
  run(command, args, { cwd: root })
  return published.map(({ folder: source, manifest }) => {
    return { name: basename(source), source, manifest, tarball: join(folder, fileOf(manifest)) }
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

function fileOf({ name, version }) {
  return `${name.slice(1).replace('/', '-')}-${version}.tgz`
}
