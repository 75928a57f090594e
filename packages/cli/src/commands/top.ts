import { setTimeout as delay } from 'node:timers/promises'
import type { View } from '@sluice/dashboard'
import type { Command } from 'commander'
import type { ViewSource } from '../live/view-source.js'
import { showOnScreen } from '../output/screen.js'
import { styleOf } from '../output/style.js'
import { plainLines } from '../output/top-plain.js'
import { topLines } from '../output/top-table.js'
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
  const { json = false, once = false, interval, top: keys } = options
  const { stdout } = terminal
  const { mostRows, openViewSource } = await import('../live/view-source.js')
  const target = placeOf(options, terminal.env, '--url of a dashboard, or --redis')
  // Each view is printed as it was received, with all keys.
  const source = openViewSource(target, json ? mostRows : keys)
  const shown = { place: source.place, keys, style: styleOf(stdout, terminal) }
  const whole = { columns: Infinity, rows: Infinity }
  try {
    const first = await source.read()
    if (once) {
      const lines = (): string => topLines(first, { ...shown, ...whole }).join('\n')
      stdout.write(`${json ? visibleJson(first) : lines()}\n`)
    } else if (stdout.isTTY === true && !json) {
      let view = first
      let failure: string | undefined
      await showOnScreen(terminal, interval, {
        lines: (size) => topLines(view, { ...shown, ...size, failure }),
        async refresh() {
          try {
            view = await source.read()
            failure = undefined
          } catch (error) {
            failure = `not refreshed: ${messageOf(error)}`
          }
        },
      })
    } else await printLines(first, source, json, interval, terminal)
  } finally {
    source.close()
  }
}

/** Never ends, unless the output is closed: the user stops the process. */
async function printLines(
  first: View,
  source: ViewSource,
  isJson: boolean,
  interval: number,
  { stdout, stderr }: Terminal,
): Promise<void> {
  for (let view: View | undefined = first; ;) {
    if (view !== undefined) {
      stdout.write(isJson ? `${visibleJson(view, 0)}\n` : plainLines(view))
    }
    await delay(interval)
    view = await source.read().catch((error: unknown) => {
      stderr.write(`error: ${visible(messageOf(error))}\n`)
      return undefined
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
