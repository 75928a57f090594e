/** Sends a script. `args[0]` is the time after which the call is void. Calls either `done` or `failed`, once. */
export type SendScript = (
  script: string,
  keys: readonly string[],
  args: readonly string[],
  done: (reply: unknown) => void,
  failed: (error: unknown) => void,
) => void

/** A Redis client with callbacks in place of promises. */
export interface ScriptClient {
  readonly evalSha: SendScript
  readonly eval: SendScript
  readonly isCluster: boolean
}
