import type { Reading } from '../../algorithms/algorithm.js'
import type { RedisClient } from './client.js'
import { assembleScript } from './script.js'

/** Runs the script for some algorithms, by its digest where the server knows it. */
export type Evaluate = (
  algorithms: readonly Reading[],
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>

interface Script {
  readonly source: string
  /** SHA-1, by which Redis knows a script that it has run before. */
  readonly digest: Promise<string>
}

export function createEvaluation(client: RedisClient): Evaluate {
  const scripts = new Map<string, Script>()

  function scriptFor(algorithms: readonly Reading[]): Script {
    const ids = algorithms.map(({ id }) => id).join()
    let script = scripts.get(ids)
    if (script === undefined) {
      const source = assembleScript(algorithms)
      script = { source, digest: sha1(source) }
      scripts.set(ids, script)
    }
    return script
  }

  return async function evaluate(algorithms, keys, args) {
    const { source, digest } = scriptFor(algorithms)
    try {
      return await client.evalSha(await digest, keys, args)
    } catch (error) {
      // NOSCRIPT says that nothing ran. After any other error the script may have run, and a second run would count twice.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return client.eval(source, keys, args)
    }
  }
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
