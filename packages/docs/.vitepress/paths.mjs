import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package: the pages and, below `.vitepress`, their site. */
export const docs = dirname(dirname(fileURLToPath(import.meta.url)))
export const root = dirname(dirname(docs))

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The repository's address on GitHub. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '')
