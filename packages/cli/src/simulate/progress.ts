import type { Output } from '../terminal.js'
import type { ReadProgress } from './read-log.js'

/** Progress is written at most four times a second. */
const intervalMs = 250

export interface Progress {
  show(progress: ReadProgress): void
  /** Removes the line. */
  clear(): void
}

/** Shows the progress in one line of the terminal, which it overwrites. */
export function createProgress(terminal: Output, now: () => number): Progress {
  const started = now()
  let shownAt = started
  let width = 0

  function write(text: string): void {
    terminal.write(`\r${text.padEnd(width)}`)
    width = text.length
  }

  return {
    show({ lines, bytesRead, bytes }) {
      const time = now()
      if (time - shownAt < intervalMs) return
      shownAt = time
      const seconds = (time - started) / 1000
      const rate = `${Math.round(lines / seconds / 1000)}k lines/s`
      if (bytes === undefined || bytes === 0) return write(`${megabytes(bytesRead)}, ${rate}`)
      const share = Math.min(1, bytesRead / bytes)
      const left = share === 0 ? '' : `, ${Math.ceil((seconds * (1 - share)) / share)} s left`
      write(`${Math.floor(share * 100)} % of ${megabytes(bytes)}, ${rate}${left}`)
    },
    clear() {
      if (width > 0) terminal.write(`\r${''.padEnd(width)}\r`)
    },
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
