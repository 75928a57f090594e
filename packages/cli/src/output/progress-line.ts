import type { Output } from '../terminal.js'

/** A line of a terminal that is overwritten. On other outputs nothing is shown. */
export interface ProgressLine {
  show(text: string): void
  /** Removes the line, so that another text can be written. */
  clear(): void
}

export function createProgressLine(output: Output): ProgressLine {
  let width = 0

  function write(text: string, end = ''): void {
    if (output.isTTY === true) output.write(`\r${text.padEnd(width)}${end}`)
    width = text.length
  }

  return {
    show: (text) => write(text),
    clear() {
      if (width > 0) write('', '\r')
    },
  }
}
