import type { SluiceError } from './errors.js'

const reported = new Set<string>()

/**
 * Warns about a likely mistake with `process.emitWarning`, once per code and process. `node --disable-warning=<code>` silences the warning. Outside
 * Node, this function does nothing.
 */
export function warn(mistake: SluiceError): void {
  if (reported.has(mistake.code)) return
  reported.add(mistake.code)
  emitWarning(mistake)
}

/** Outside Node, this function does nothing. */
export function emitWarning(warning: Error): void {
  // Not imported, because core also runs in browsers, and because an import of `node:process` opens the standard streams.
  globalThis.process?.emitWarning?.(warning)
}
