import { clientOf, type SupportedClient } from './client.js'
import { createEvaluation, scriptOf } from './evaluation.js'

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
  const scripts = new Map<string, ReturnType<typeof scriptOf>>()
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
