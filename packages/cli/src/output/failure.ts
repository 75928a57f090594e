import { visible } from '../text/visible.js'

/** The message of an error that ends a command. */
export function failure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.split('\n').map(visible)
  return `error: ${lines.join('\n')}\n`
}
