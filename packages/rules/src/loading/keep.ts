import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import { rulesErrorFrom } from '../errors.js'
import { reasonOf } from '../errors/quoting.js'
import { isMissing } from './sources/document-files.js'
import { contentOf, type RulesContent } from './sources/rule-source.js'

/** The last good document of a source and its files, in one file. Requests do not depend on the copy: a failure is a warning of the process. */
export interface Keeper {
  /** Undefined if there is no usable copy. */
  read(): Promise<RulesContent | undefined>
  write(content: RulesContent): Promise<void>
}

const keptContent = z.object({
  version: z.string(),
  format: z.enum(['yaml', 'json']),
  text: z.string(),
  files: z.array(z.tuple([z.string(), z.string()])),
})

export function createKeeper(path: string): Keeper {
  let written: string | undefined
  return {
    async read() {
      try {
        return contentIn(await readFile(path, 'utf8'))
      } catch (error) {
        if (!isMissing(error)) warn(path, error)
        return undefined
      }
    },

    async write(content) {
      if (content.version === written) return
      try {
        const { version, format, text, files } = content
        await replaceFile(path, JSON.stringify({ version, format, text, files: [...files] }))
        written = version
      } catch (error) {
        warn(path, error)
      }
    },
  }
}

function contentIn(json: string): RulesContent {
  const { version, format, text, files } = keptContent.parse(JSON.parse(json))
  const content = contentOf({ format, text, files: new Map(files) })
  if (content.version !== version) throw new Error('its content does not fit its version')
  return content
}

/** A rename replaces all of the file or nothing, also if the process is killed meanwhile. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      // Without this, a power failure could leave the new name without the content.
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function warn(path: string, error: unknown): void {
  process.emitWarning(rulesErrorFrom(error, 'SLUICE_RULES_KEEP_FAILED', path, reasonOf(error)))
}
