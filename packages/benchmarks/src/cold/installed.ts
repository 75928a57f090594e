import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Figures, Groups } from '../figures.js'
import { isRecord } from '../results.js'
import { spreadOf } from '../rounds.js'

const run = promisify(execFile)
const here = fileURLToPath(new URL('../../', import.meta.url))

/** The packages of each library for an application without a framework of its own, and with Express. */
export const rows = {
  limiter: 'MB installed for a limiter, with dependencies',
  express: 'MB installed for Express, with dependencies',
} as const

const packages = [
  { row: rows.limiter, name: 'Sluice', from: '@sluice/core' },
  { row: rows.limiter, name: 'rate-limiter-flexible', from: 'rate-limiter-flexible' },
  { row: rows.express, name: 'Sluice', from: '@sluice/express' },
  { row: rows.express, name: 'express-rate-limit', from: 'express-rate-limit' },
]

/** The size of each library on the disk, without its peers: an application has the framework in any case. */
export async function installed(): Promise<Groups> {
  const found: Record<string, Record<string, Figures>> = {}
  for (const { row, name, from } of packages) {
    const folders = await foldersOf(from)
    const sizes = await Promise.all(folders.map(async (folder) => publishedBytes(folder)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    const own = (found[row] ??= {})
    own[name] = { megabytes: spreadOf([Math.round(bytes / 10_000) / 100]) }
  }
  return found
}

/** The folders of a package and of all its dependencies. */
async function foldersOf(name: string): Promise<readonly string[]> {
  const folders = new Set([folderOf(name, here)])
  for (const folder of folders) {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const dependencies = Object.keys(recordOf(recordOf(manifest)['dependencies']))
    for (const dependency of dependencies) folders.add(folderOf(dependency, folder))
  }
  return [...folders]
}

function folderOf(name: string, importer: string): string {
  const places = createRequire(join(importer, 'package.json')).resolve.paths(name) ?? []
  const folder = places.map((place) => join(place, name)).find((place) => existsSync(place))
  if (folder === undefined) throw new Error(`${importer} depends on ${name}, which is missing`)
  return realpathSync(folder)
}

/** The bytes of the files that npm unpacks. The folder of a package of the workspace also contains others. */
async function publishedBytes(folder: string): Promise<number> {
  if (folder.includes(join('/', 'node_modules', '/'))) return bytesIn(folder)
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', folder])
  const found: unknown = JSON.parse(stdout)
  const [{ unpackedSize: size }] = Object.values(recordOf(found)).map(recordOf)
  if (typeof size !== 'number') throw new Error(`npm does not say the size of ${folder}`)
  return size
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const stats = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
  return stats.reduce((sum, { size }) => sum + size, 0)
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
