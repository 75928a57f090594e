import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** A file of the page. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  readonly content: Buffer
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** The name of the page itself. */
export const indexName = 'index.html'

/**
 * Reads the files of the page, by their names relative to the folder. Requests are answered from this list only, so that no address of a request becomes a path. Files
 * of other types are left out.
 */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await entriesOf(folder)
  const paths = entries
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(async (path): Promise<[string, PageFile]> => {
      const content = await readFile(path)
      const digest = createHash('sha256').update(content).digest('base64url')
      const file = { type: types[extname(path)], etag: `"${digest.slice(0, 22)}"`, content }
      return [path.slice(join(folder, sep).length).replaceAll(sep, '/'), file]
    }),
  )
  return new Map(files)
}

/** Empty if there is no such folder. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
