import type { Output } from '../terminal.js'
import type { ReadProgress } from '../simulate/log/read.js'

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

/** Progress is written at most four times a second. */
const intervalMs = 250

/** Shows how far a log was read. */
export function createProgress(
  line: ProgressLine,
  now: () => number,
): (progress: ReadProgress) => void {
  const started = now()
  let shownAt = started
  return ({ lines, bytesRead, bytes }) => {
    const time = now()
    if (time - shownAt < intervalMs) return
    shownAt = time
    const seconds = (time - started) / 1000
    const rate = `${Math.round(lines / seconds / 1000)}k lines/s`
    if (bytes === undefined || bytes === 0) return line.show(`${megabytes(bytesRead)}, ${rate}`)
    const share = Math.min(1, bytesRead / bytes)
    const left = share === 0 ? '' : `, ${Math.ceil((seconds * (1 - share)) / share)} s left`
    line.show(`${Math.floor(share * 100)} % of ${megabytes(bytes)}, ${rate}${left}`)
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
