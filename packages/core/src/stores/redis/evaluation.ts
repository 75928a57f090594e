import type { Reading } from '../../algorithms/algorithm.js'
import type { RedisClient } from './client.js'
import { assembleScript } from './script/index.js'

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

/** One script for all algorithms that were asked for so far, so that whatever comes together travels together. */
export function createEvaluation(client: RedisClient): Evaluate {
  const known = new Map<number, Reading>()
  let script = scriptOf([])

  function scriptFor(algorithms: readonly Reading[]): Script {
    const fresh = algorithms.filter(({ id }) => !known.has(id))
    if (fresh.length > 0) {
      for (const algorithm of fresh) known.set(algorithm.id, algorithm)
      script = scriptOf([...known.values()].sort((a, b) => a.id - b.id))
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

function scriptOf(algorithms: readonly Reading[]): Script {
  const source = assembleScript(algorithms)
  return { source, digest: sha1(source) }
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
