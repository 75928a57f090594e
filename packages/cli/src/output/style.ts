import { styleText } from 'node:util'
import type { Output, Terminal } from '../terminal.js'

type Color = (text: string) => string

/** Adds colors to texts. */
export interface Style {
  readonly error: Color
  readonly warning: Color
  readonly success: Color
  readonly strong: Color
  readonly faint: Color
}

/** Colors for a terminal, unless `NO_COLOR` is set (no-color.org). Files and pipes get no colors. */
export function styleOf(output: Output, { env }: Terminal): Style {
  const { NO_COLOR = '', TERM } = env
  const isColored = output.isTTY === true && NO_COLOR === '' && TERM !== 'dumb'
  const color = (format: Parameters<typeof styleText>[0]): Color =>
    isColored ? (text) => styleText(format, text, { validateStream: false }) : (text) => text
  return {
    error: color('red'),
    warning: color('yellow'),
    success: color('green'),
    strong: color('bold'),
    faint: color('dim'),
  }
}
