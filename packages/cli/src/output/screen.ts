import { setTimeout as delay } from 'node:timers/promises'
import type { Output, Terminal } from '../terminal.js'

/** The content of a screen. */
export interface Content {
  lines(size: Size): readonly string[]
  /** Reads new data. It never rejects. */
  refresh(): Promise<void>
}

export interface Size {
  readonly columns: number
  readonly rows: number
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

/**
 * Shows lines on the whole screen of a terminal until the user quits, and then its former content. `q` and Ctrl-C quit, and a space asks for new data. A user who
 * quits does not wait for data.
 */
export async function showOnScreen(
  terminal: Terminal,
  intervalMs: number,
  { lines, refresh }: Content,
): Promise<void> {
  const { stdin, stdout } = terminal
  const quit = new AbortController()
  let wake = new AbortController()

  function draw(): void {
    // Each line deletes its rest, and the last one everything below, so that nothing flickers.
    const text = lines(sizeOf(stdout)).map((line) => `${line}${escape}K`)
    stdout.write(`${escape}H${text.join('\r\n')}${escape}J`)
  }

  function onKeys(keys: Buffer | string): void {
    for (const key of String(keys)) {
      // In raw mode, Ctrl-C is a character and no signal.
      if (key === 'q' || key === 'Q' || key === '\u0003') quit.abort()
      if (key === ' ') wake.abort()
    }
  }

  const stops = signals.map(([signal, number]) => {
    const stop = (): void => {
      terminal.exitCode = 128 + number
      quit.abort()
    }
    return [signal, stop] as const
  })
  const ended = new Promise<void>((resolve) => {
    quit.signal.addEventListener('abort', () => resolve())
  })
  stdin.setRawMode?.(true)
  stdin.on('data', onKeys)
  stdout.on?.('resize', draw)
  for (const [signal, stop] of stops) terminal.on?.(signal, stop)
  stdout.write(useScreen)
  try {
    while (!quit.signal.aborted) {
      draw()
      const signal = AbortSignal.any([quit.signal, wake.signal])
      await delay(intervalMs, undefined, { signal }).catch(() => {})
      wake = new AbortController()
      if (!quit.signal.aborted) await Promise.race([refresh(), ended])
    }
  } finally {
    stdout.write(leaveScreen)
    stdin.setRawMode?.(false)
    stdin.off('data', onKeys)
    stdin.pause()
    stdout.off?.('resize', draw)
    for (const [signal, stop] of stops) terminal.off?.(signal, stop)
  }
}

/** A pseudo-terminal without a size reports 0. The last column stays empty: a cursor behind it would delete it with the rest of the line. */
function sizeOf({ columns = 0, rows = 0 }: Output): Size {
  return { columns: (columns > 0 ? columns : 80) - 1, rows: rows > 0 ? rows : 24 }
}
