import type { Command } from 'commander'
import { addressAdvice, nothingCounted, statesAsText } from '../output/status-text.js'
import { styleOf } from '../output/style.js'
import type { KeyState } from '../live/target.js'
import { readKey, shownKey } from '../reading/key-text.js'
import { placeOf, withKeyOptions, type KeyOptions } from '../reading/target-options.js'
import type { Terminal } from '../terminal.js'
import { visibleJson } from '../text/visible.js'

/** Adds `sluice status`. */
export function addStatus(program: Command, terminal: Terminal): void {
  const command = program
    .command('status')
    .summary('print what is counted for a key')
    .description(
      'Print what is counted for a key in each limiter, whether it is blocked, and until when. Nothing is counted.',
    )
    .argument('<key>', 'key, such as ip:203.0.113.9, or a JSON list of its parts')
  withKeyOptions(command)
    .addHelpText('after', help)
    .action((key: string, options: KeyOptions) => status(key, options, terminal))
}

const help = `
Exit code:
  0  the counts were read, whether the key is denied or not
  1  wrong options, or the counts cannot be read

Examples:
  sluice status ip:203.0.113.9 --redis redis://localhost:6379 --limiters limiters.js
  sluice status '["user","42"]' --redis redis://localhost:6379 --rules rules.yaml
  sluice status ip:203.0.113.9 --url https://shop.example/limits --header 'authorization: Bearer …'`

async function status(text: string, options: KeyOptions, terminal: Terminal): Promise<void> {
  const { stdout, env } = terminal
  const key = readKey(text, options.counted === true)
  const { openTarget, chosenLimiters } = await import('../live/open-target.js')
  const target = await openTarget(placeOf(options, env))
  try {
    const names = chosenLimiters(target, options.limiter)
    const states = await Promise.all(names.map(async (name) => target.status(name, key)))
    if (options.json === true) {
      stdout.write(`${visibleJson({ key: key.text, limiters: states })}\n`)
      return
    }
    const style = styleOf(stdout, terminal)
    const advice = addressAdvice(key.text)
    stdout.write(`${style.strong(shownKey(key.text))}\n\n${statesAsText(states, style)}`)
    if (advice !== undefined) stdout.write(`\n${advice}\n`)
    else if (states.every(isUnknown)) terminal.stderr.write(`${nothingCounted(key.text)}\n`)
  } finally {
    target.close()
  }
}

/** The numbers of a key that no store has seen are those of the full quota. A key under which no rule counts has none. */
function isUnknown(state: KeyState): boolean {
  return state.policies.length > 0 && !state.isCounted
}
