import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Makes folders that are removed after the tests of the file. */
export function useFolders(): () => Promise<string> {
  const made: string[] = []
  afterAll(async () => {
    await Promise.all(made.splice(0).map((path) => rm(path, { recursive: true, force: true })))
  })
  return async () => {
    const path = await mkdtemp(join(tmpdir(), 'sluice-rules-'))
    made.push(path)
    return path
  }
}
