import { setTimeout as delay } from 'node:timers/promises'
import type { View } from '@sluice/dashboard'
import type { Command } from 'commander'
import type { ViewSource } from '../live/view-source.js'
import { openScreen, type Screen } from '../output/screen.js'
import { styleOf } from '../output/style.js'
import { plainLines } from '../output/top-plain.js'
import { topLines, type TopOptions } from '../output/top-table.js'
import { readCount, readInterval } from '../reading/option-values.js'
import { placeOf, withPlaceOptions, type TargetOptions } from '../reading/target-options.js'
import type { Terminal } from '../terminal.js'
import { visible, visibleJson } from '../text/visible.js'

interface TopCommandOptions extends TargetOptions {
  readonly interval: number
  readonly once?: boolean
  readonly top: number
  readonly json?: boolean
}

/** Adds `sluice top`. */
export function addTop(program: Command, terminal: Terminal): void {
  const command = program
    .command('top')
    .summary('show the limiters, and the keys that are denied now')
    .description(
      'Show the limiters, the denied keys and the keys with the most requests, and refresh them: q or Ctrl-C quits, a space refreshes at once. ' +
        'If the output is no terminal, print one line for each limiter and interval. The data are those of the dashboard: the application creates it with createDashboard.',
    )
  withPlaceOptions(command)
    .option('--interval <seconds>', 'time between two refreshes', readInterval, 2000)
    .option('--once', 'print the tables once')
    .option('--top <number>', 'most keys in each table', readCount, 20)
    .option('--json', 'print each view as JSON, in one line')
    .addHelpText('after', help)
    .action((options: TopCommandOptions) => top(options, terminal))
}

const help = `
Exit code:
  0  the user quits, or the tables were printed once
  1  wrong options, or the data cannot be read at the start

Examples:
  sluice top --url https://shop.example/limits --header 'authorization: Bearer …'
  sluice top --redis redis://localhost:6379
  sluice top --redis redis://localhost:6379 --once
  sluice top --redis redis://localhost:6379 --json | jq -c '.limiters[] | [.name, .denied[].key]'`

async function top(options: TopCommandOptions, terminal: Terminal): Promise<void> {
  const { mostRows, openViewSource } = await import('../live/view-source.js')
  const place = placeOf(options, terminal.env, '--url of a dashboard, or --redis')
  // Each view is printed as it was received, with all keys.
  const source = openViewSource(place, options.json === true ? mostRows : options.top)
  try {
    const first = await source.read()
    if (options.once === true) printOnce(first, source, options, terminal)
    else if (terminal.stdout.isTTY === true && options.json !== true) {
      await showLive(first, source, options, terminal)
    } else await printLines(first, source, options, terminal)
  } finally {
    source.close()
  }
}

function printOnce(
  view: View,
  { place }: ViewSource,
  { json, top: keys }: TopCommandOptions,
  terminal: Terminal,
): void {
  const { stdout } = terminal
  const size = { columns: Infinity, rows: Infinity }
  const lines = topLines(view, { place, keys, ...size, style: styleOf(stdout, terminal) })
  stdout.write(json === true ? `${visibleJson(view)}\n` : `${lines.join('\n')}\n`)
}

/** Never ends, unless the output is closed: the user stops the process. */
async function printLines(
  first: View,
  source: ViewSource,
  { json, interval }: TopCommandOptions,
  { stdout, stderr }: Terminal,
): Promise<void> {
  for (let view: View | undefined = first; ;) {
    if (view !== undefined) {
      stdout.write(json === true ? `${visibleJson(view, 0)}\n` : plainLines(view))
    }
    await delay(interval)
    try {
      view = await source.read()
    } catch (error) {
      stderr.write(`error: ${visible(messageOf(error))}\n`)
      view = undefined
    }
  }
}

async function showLive(
  first: View,
  source: ViewSource,
  { interval, top: keys }: TopCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const screen = openScreen(terminal)
  const options = { place: source.place, keys, style: styleOf(terminal.stdout, terminal) }
  let view = first
  let failure: string | undefined
  let wake = new AbortController()

  function draw(): void {
    screen.draw(topLines(view, { ...options, ...sizeOf(screen), failure }))
  }

  screen.onRedraw((reason) => {
    if (reason === 'resized') draw()
    else wake.abort()
  })
  screen.quit.addEventListener('abort', () => wake.abort())
  try {
    while (!screen.quit.aborted) {
      draw()
      await delay(interval, undefined, { signal: wake.signal }).catch(() => {})
      if (screen.quit.aborted) break
      wake = new AbortController()
      try {
        view = await unlessQuit(source.read(), screen.quit)
        failure = undefined
      } catch (error) {
        failure = `not refreshed: ${messageOf(error)}`
      }
    }
  } finally {
    screen.close()
  }
}

function sizeOf({ columns, rows }: Screen): Pick<TopOptions, 'columns' | 'rows'> {
  return { columns, rows }
}

/** A user who quits does not wait for the answer. */
async function unlessQuit<T>(answer: Promise<T>, quit: AbortSignal): Promise<T> {
  let stop = (): void => {}
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('the user quits'))
    quit.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([answer, ended])
  } finally {
    quit.removeEventListener('abort', stop)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
