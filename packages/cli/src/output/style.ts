import process from 'node:process'
import { styleText } from 'node:util'

type Color = (text: string) => string

/** Colors of texts. */
export interface Style {
  readonly error: Color
  readonly warning: Color
  readonly success: Color
  readonly strong: Color
  readonly faint: Color
}

/** Colors for a terminal, unless `NO_COLOR` is set (no-color.org). A file or a pipe gets none. */
export function styleOf(stream: { readonly isTTY?: boolean }): Style {
  const { NO_COLOR = '', TERM } = process.env
  const isColored = stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb'
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
