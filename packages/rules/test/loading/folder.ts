import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

/** Makes folders that are removed after each test. */
export function useFolders(): () => Promise<string> {
  const made: string[] = []
  afterEach(async () => {
    await Promise.all(made.splice(0).map((path) => rm(path, { recursive: true, force: true })))
  })
  return async () => {
    const path = await mkdtemp(join(tmpdir(), 'sluice-rules-'))
    made.push(path)
    return path
  }
}
