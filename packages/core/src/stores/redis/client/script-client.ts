/** Sends a script; `args` begins with the moment after which the call is void. One of the two functions is called, once. */
export type SendScript = (
  script: string,
  keys: readonly string[],
  args: readonly string[],
  done: (reply: unknown) => void,
  failed: (error: unknown) => void,
) => void

/** A client as the store uses it: answers by callback. */
export interface ScriptClient {
  readonly evalSha: SendScript
  readonly eval: SendScript
  readonly isCluster: boolean
}
