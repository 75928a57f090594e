import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The program of Bun, which `npm run check:platforms` installs. Undefined before that. */
export function programOfBun(): string | undefined {
  const manifest = new URL('../../../platforms/package.json', import.meta.url)
  try {
    const folder = dirname(createRequire(manifest).resolve('bun/package.json'))
    const program = join(folder, 'bin/bun.exe')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}
