import type { Command } from 'commander'
import type { KeyState } from '../live/target.js'
import { blockedLine } from '../output/status-text.js'
import { styleOf } from '../output/style.js'
import { placeOf, withTargetOptions, type TargetOptions } from '../reading/target-options.js'
import { createProgressLine } from '../output/progress.js'
import type { Terminal } from '../terminal.js'
import { visibleJson } from '../text/visible.js'

interface KeysOptions extends TargetOptions {
  readonly blocked?: boolean
  readonly json?: boolean
}

/** Adds `sluice keys`. */
export function addKeys(program: Command, terminal: Terminal): void {
  const command = program
    .command('keys')
    .summary('search for blocked keys')
    .description(
      'Search Redis for blocked keys. The search reads at most 2,000 keys of Redis in a second, so that other clients do not wait for it: a million keys take 9 minutes. Each key is printed when it is found.',
    )
    .option('--blocked', 'the keys that are blocked now')
  withTargetOptions(command)
    .option('--json', 'print JSON, after the search')
    .addHelpText('after', help)
    .action((options: KeysOptions, own: Command) => keys(options, own, terminal))
}

const help = `
Exit code:
  0  all keys were read, whether one is blocked or not
  1  wrong options, or the keys cannot be read

Examples:
  sluice keys --blocked --redis redis://localhost:6379 --limiters limiters.js
  sluice keys --blocked --redis redis://localhost:6379 --limiters limiters.js --limiter login --json
  sluice keys --blocked --url https://shop.example/limits --header 'authorization: Bearer …'`

async function keys(options: KeysOptions, command: Command, terminal: Terminal): Promise<void> {
  if (options.blocked !== true) {
    command.error('error: state which keys to search for: --blocked')
  }
  const { stdout } = terminal
  const style = styleOf(stdout, terminal)
  const progress = createProgressLine(terminal.stderr)
  const { openTarget, chosenLimiters } = await import('../live/open-target.js')
  const target = await openTarget(placeOf(options, terminal.env))
  if (target.isMasked) {
    terminal.stderr.write(
      'note: the dashboard masks keys: other commands need the key itself, and not this text\n',
    )
  }
  const found: KeyState[] = []
  let searched = 0
  try {
    const names = chosenLimiters(target, options.limiter)
    for await (const { blocked, keys, read, total } of target.search(names)) {
      searched += keys
      if (options.json !== true && blocked.length > 0) {
        progress.clear()
        for (const state of blocked) stdout.write(`${blockedLine(state, style)}\n`)
      }
      found.push(...blocked)
      const share = read === undefined ? '' : ` (${read} of ${total} keys of Redis read)`
      progress.show(`${countText(searched, found.length)}${share}`)
    }
  } finally {
    progress.clear()
    target.close()
  }
  if (options.json === true) stdout.write(`${visibleJson({ searched, blocked: found })}\n`)
  else stdout.write(`${countText(searched, found.length)}\n`)
}

function countText(searched: number, blocked: number): string {
  return `${searched} ${searched === 1 ? 'key' : 'keys'} searched, ${blocked} blocked`
}
