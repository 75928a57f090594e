import type { Output, Terminal } from '../terminal.js'

/** The whole screen of a terminal, which shows its former content again after `close`. */
export interface Screen {
  /** Aborted when the user quits, or when the process is to end. */
  readonly quit: AbortSignal
  readonly columns: number
  readonly rows: number
  draw(lines: readonly string[]): void
  /** Calls back when the size has changed, or when the user asks for new data. */
  onRedraw(redraw: (reason: 'resized' | 'asked') => void): void
  close(): void
}

const escape = '\u001b['
const useScreen = `${escape}?1049h${escape}?25l`
const leaveScreen = `${escape}?25h${escape}?1049l`

/** The signals that end the process, and their numbers. */
const signals = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const

/** Takes the whole screen. `q` and Ctrl-C quit, a space asks for new data. */
export function openScreen(terminal: Terminal): Screen {
  const { stdin, stdout } = terminal
  const quit = new AbortController()
  let redraw: (reason: 'resized' | 'asked') => void = () => {}

  const onKeys = (keys: Buffer | string): void => {
    for (const key of String(keys)) {
      // In raw mode, Ctrl-C is a character and no signal.
      if (key === 'q' || key === 'Q' || key === '\u0003') quit.abort()
      if (key === ' ') redraw('asked')
    }
  }
  const onResize = (): void => redraw('resized')
  const stops = signals.map(([signal, number]) => {
    const stop = (): void => {
      terminal.exitCode = 128 + number
      quit.abort()
    }
    return [signal, stop] as const
  })

  stdin.setRawMode?.(true)
  stdin.on('data', onKeys)
  stdout.on?.('resize', onResize)
  for (const [signal, stop] of stops) terminal.on?.(signal, stop)
  stdout.write(useScreen)

  return {
    quit: quit.signal,
    get columns() {
      return sizeOf(stdout).columns
    },
    get rows() {
      return sizeOf(stdout).rows
    },
    draw(lines) {
      // Each line deletes its rest, and the last one everything below, so that nothing flickers.
      const text = lines.map((line) => `${line}${escape}K`).join('\r\n')
      stdout.write(`${escape}H${text}${escape}J`)
    },
    onRedraw(listener) {
      redraw = listener
    },
    close() {
      stdout.write(leaveScreen)
      stdin.setRawMode?.(false)
      stdin.off('data', onKeys)
      stdin.pause()
      stdout.off?.('resize', onResize)
      for (const [signal, stop] of stops) terminal.off?.(signal, stop)
    },
  }
}

/** A pseudo-terminal without a size reports 0. The last column stays empty: a cursor behind it would delete it with the rest of the line. */
function sizeOf({ columns = 0, rows = 0 }: Output): { columns: number; rows: number } {
  return { columns: (columns > 0 ? columns : 80) - 1, rows: rows > 0 ? rows : 24 }
}
