import type { SluiceError } from './errors.js'

const told = new Set<string>()

/**
 * Warns of a likely mistake by `process.emitWarning`, once for each code and process. `node --disable-warning=<code>` silences it. Outside of Node
 * it does nothing.
 */
export function tell(mistake: SluiceError): void {
  if (told.has(mistake.code)) return
  told.add(mistake.code)
  // Not imported: the same core runs in browsers.
  globalThis.process?.emitWarning?.(mistake)
}
