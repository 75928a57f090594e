import type { Reading } from '../../algorithms/algorithm.js'
import { sha1Of } from '../../digests.js'
import type { ScriptClient } from './client/script-client.js'
import { assembleScript } from './script/index.js'

export interface Script {
  readonly source: string
  /** SHA-1, by which Redis knows a script that it has run before. */
  readonly digest: string
}

/** Runs a script, by its digest where the server knows it. One of the two functions is called, once. */
export type Evaluate = (
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  done: (reply: unknown) => void,
  failed: (error: unknown) => void,
) => void

export function createEvaluation(client: ScriptClient): Evaluate {
  return function evaluate({ source, digest }, keys, args, done, failed) {
    client.evalSha(digest, keys, args, done, (error) => {
      // NOSCRIPT says that nothing ran. After any other error the script may have run, and a second run would count twice.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) failed(error)
      else client.eval(source, keys, args, done, failed)
    })
  }
}

/** The general script for all algorithms that were asked for so far, so that whatever comes together travels together. */
export function createGeneralScript(): (algorithms: readonly Reading[]) => Script {
  const known = new Map<number, Reading>()
  let script = scriptOf(assembleScript([]))

  return function scriptFor(algorithms) {
    const fresh = algorithms.filter(({ id }) => !known.has(id))
    if (fresh.length > 0) {
      for (const algorithm of fresh) known.set(algorithm.id, algorithm)
      script = scriptOf(assembleScript([...known.values()].sort((a, b) => a.id - b.id)))
    }
    return script
  }
}

/** The digest is computed at once, so that no call waits for it. */
export function scriptOf(source: string): Script {
  return { source, digest: sha1Of(source) }
}
