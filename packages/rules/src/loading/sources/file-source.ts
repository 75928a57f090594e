import { extname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readOptions } from '@sluice/core/internal'
import { rulesError } from '../../errors.js'
import { readFiles, statesOf, type FileState, type FilesRead } from './document-files.js'
import { contentOf, everyOption, type RulesContent, type RuleSource } from './rule-source.js'

/** Options of `fileSource`. */
export interface FileSourceOptions {
  /**
   * The time between two checks of the files. A check that finds no change costs a `stat` for each file.
   *
   * @default '2s'
   */
  readonly every?: number | string | undefined
}

/** A file that is being written has this long to change again before it counts as complete. */
const settleMs = 100

/** Some file systems keep times in whole seconds, FAT in steps of two: a file that changed this recently can change again and look the same. */
const coarsestTimeMs = 3000

/** How often a read is repeated when files change under it, or are missing for a moment. */
const attempts = 3

/**
 * A document in a file, with the list files that it names relative to itself. The files are polled, because neither a Kubernetes
 * ConfigMap nor a network file system reports changes. A name that ends in `.json` is read as JSON, any other as YAML.
 *
 * @param path a relative path is relative to the working directory at the time of the call; a URL such as `new URL('rules.yaml', import.meta.url)` is relative to
 * the module
 * @example
 * const rules = await loadRules({ source: fileSource('rules.yaml', { every: '2s' }) })
 */
export function fileSource(path: string | URL, options: FileSourceOptions = {}): RuleSource {
  const { every } = readOptions('fileSource', options, { every: everyOption(2000) })
  // Absolute, so that messages show the folder, and `process.chdir` changes nothing.
  const location = resolve(typeof path === 'string' ? path : fileURLToPath(path))
  const format = extname(location).toLowerCase() === '.json' ? 'json' : 'yaml'
  let last: (Read & { readonly version: string }) | undefined

  async function read(
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<RulesContent | undefined> {
    if (since !== undefined && last?.version === since && (await isUnchanged(last))) {
      return undefined
    }
    const found = await readSettled(location, format, signal)
    if (found === undefined) {
      // Incomplete rules are worse than late ones: the next check reads the files again.
      if (since !== undefined) return undefined
      throw rulesError('SLUICE_RULES_SOURCE_FAILED', location, 'it keeps changing while it is read')
    }
    const cutOff = last && cutOffIn(last, found)
    if (cutOff !== undefined) {
      const reason =
        'it does not end as before, with a line break or "...", so it may be incomplete. Complete it, or restart the application'
      throw rulesError('SLUICE_RULES_SOURCE_FAILED', cutOff, reason)
    }
    const content = contentOf({ ...found, format })
    last = { ...found, version: content.version }
    return content.version === since ? undefined : content
  }

  /** The file whose end is lost. Its writer was probably stopped, and what it wrote can be a valid document with fewer limits. */
  function cutOffIn(before: FilesRead, now: FilesRead): string | undefined {
    // JSON has an end of its own.
    const textsOf = ({ text, files }: FilesRead): Map<string, string> =>
      new Map(format === 'json' ? files : [[location, text], ...files])
    const earlier = textsOf(before)
    const cutOff = [...textsOf(now)].find(([name, text]) => endOf(text) < endOf(earlier.get(name)))
    return cutOff?.[0]
  }

  return { location, every, read }
}

/** How well the end of a text shows that it is complete: by nothing, by a line break, or by the line with which YAML ends a document. */
function endOf(text = ''): number {
  return /^\.\.\.\s*$/m.test(text) ? 2 : Number(text.endsWith('\n'))
}

interface Read extends FilesRead {
  /** When the states were taken. */
  readonly at: number
}

/** Whether the files are provably unchanged. If they had changed shortly before the read, their times prove nothing. */
async function isUnchanged({ states, at }: Read): Promise<boolean> {
  if (states.some((state) => isRecent(state, at))) return false
  const paths = states.map(({ path }) => path)
  const now = await statesOf(paths).catch(() => undefined)
  return now !== undefined && areSame(states, now)
}

/** Reads the files until they do not change during the read. Undefined if they change all the time. */
async function readSettled(
  location: string,
  format: 'yaml' | 'json',
  signal: AbortSignal,
): Promise<Read | undefined> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === attempts
    try {
      const found = await readFiles(location, format, signal)
      const at = Date.now()
      if (found.states.some((state) => isRecent(state, at))) await pause(settleMs)
      const later = await statesOf(found.states.map(({ path }) => path))
      if (areSame(found.states, later)) return { ...found, at }
      if (isLast) return undefined
    } catch (error) {
      // An editor removes a file before it writes the new one, and a ConfigMap removes the old folder after it has replaced it.
      if (isLast || signal.aborted) throw error
    }
    await pause(settleMs)
  }
}

function isRecent({ changedMs }: FileState, now: number): boolean {
  return Math.abs(now - changedMs) < coarsestTimeMs
}

function areSame(states: readonly FileState[], later: readonly FileState[]): boolean {
  return states.every((state, i) => state.mark === later[i].mark)
}
