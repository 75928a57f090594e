import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const site = dirname(fileURLToPath(import.meta.url))
export const root = dirname(dirname(site))
export const docs = join(root, 'docs')

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The repository's address on GitHub. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '')
