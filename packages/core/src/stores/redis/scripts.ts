import type { Algorithm } from '../../algorithms/algorithm.js'
import { sha1Of } from '../../digests.js'
import { clientOf, type ScriptClient, type SupportedClient } from './client.js'
import { changeScript } from './script/change.js'

export interface Script {
  readonly source: string
  /** The SHA-1 by which Redis finds a script that it has run before. */
  readonly digest: string
}

/** Runs a script, by its digest if the server has it. Calls either `done` or `failed`, once. */
export type Evaluate = (
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  done: (reply: unknown) => void,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
) => void

/**
 * The first call of each script contains its source, so that all calls run in the order in which they are sent: a call that is sent again after NOSCRIPT could
 * run after a later call of another script. That remains possible at another master of a Cluster, and after Redis has lost its scripts.
 */
export function createEvaluation(client: ScriptClient): Evaluate {
  const sent = new Set<string>()

  return function evaluate({ source, digest }, keys, args, done, failed, signal) {
    if (!sent.has(digest)) {
      sent.add(digest)
      const forget = (error: unknown): void => {
        sent.delete(digest)
        failed(error)
      }
      client.eval(source, keys, args, done, forget, signal)
      return
    }
    const retry = (error: unknown): void => {
      // NOSCRIPT means that nothing ran. After any other error the script may have run, and a second run would count twice.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) failed(error)
      else client.eval(source, keys, args, done, failed, signal)
    }
    client.evalSha(digest, keys, args, done, retry, signal)
  }
}

/** Builds the script of the other verbs for all algorithms that have been used so far, so that there are few of them. */
export function createChangeScript(): (algorithms: readonly Algorithm[]) => Script {
  const known = new Map<number, Algorithm>()
  let script: Script | undefined

  return function scriptFor(algorithms) {
    const fresh = algorithms.filter(({ id }) => !known.has(id))
    if (script === undefined || fresh.length > 0) {
      for (const algorithm of fresh) known.set(algorithm.id, algorithm)
      script = scriptOf(changeScript([...known.values()].sort((a, b) => a.id - b.id)))
    }
    return script
  }
}

/** Computes the digest in advance, so that no call waits for it. */
export function scriptOf(source: string): Script {
  return { source, digest: sha1Of(source) }
}

/** Runs scripts on a Redis client of any kind that `redisStore` takes. */
export interface RedisScripts {
  /** Whether the client is connected to a Redis Cluster. */
  readonly isCluster: boolean
  /**
   * Runs a script with these keys and arguments. It rejects with the error of the server or of the client. A client that sends a call again whose
   * connection was lost runs the script twice.
   *
   * @param signal aborts the call, if the client sends each call as a request over HTTP
   */
  run(
    source: string,
    keys: readonly string[],
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown>
}

/**
 * The seam to Redis for packages that keep other data than counts in it.
 *
 * @param where the function that was passed the client, for the error
 * @throws SluiceError SLUICE_CLIENT_INVALID
 */
export function redisScripts(client: SupportedClient, where: string): RedisScripts {
  const scriptClient = clientOf(client, where)
  const evaluate = createEvaluation(scriptClient)
  const scripts = new Map<string, Script>()
  return {
    isCluster: scriptClient.isCluster,
    run(source, keys, args, signal) {
      const script = scripts.get(source) ?? scriptOf(source)
      scripts.set(source, script)
      return new Promise((resolve, reject) => {
        evaluate(script, keys, args, resolve, reject, signal)
      })
    },
  }
}
