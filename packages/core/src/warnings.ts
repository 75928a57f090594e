import type { SluiceError } from './errors.js'

const told = new Set<string>()

/**
 * Warns of a likely mistake that may be meant: once per process, by `process.emitWarning`, with its code. Node's own
 * `--disable-warning=<code>` silences it. Outside of Node it does nothing.
 */
export function tell(mistake: SluiceError): void {
  if (told.has(mistake.code)) return
  told.add(mistake.code)
  // Not by import: the same core runs in browsers.
  globalThis.process?.emitWarning?.(mistake)
}
