import { readFile } from 'node:fs/promises'
import { Command, CommanderError } from 'commander'
import { addActs } from './commands/acts.js'
import { addCheck } from './commands/check.js'
import { addExplain } from './commands/explain.js'
import { addKeys } from './commands/keys.js'
import { addSimulate } from './commands/simulate.js'
import { addStatus } from './commands/status.js'
import { addTop } from './commands/top.js'
import type { Terminal } from './terminal.js'
import { visible } from './text/visible.js'

/** Runs `sluice` with these arguments, and sets the exit code. It never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  try {
    const program = await createProgram(terminal)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode
    } else {
      terminal.stderr.write(failure(error))
      terminal.exitCode = 1
    }
  }
}

async function createProgram(terminal: Terminal): Promise<Command> {
  const { stdout, stderr } = terminal
  // Commands inherit these settings when they are added.
  const program = new Command('sluice')
    .description(
      'Check and explain the rules of Sluice, replay access logs against limits, and see and change what is limited now.',
    )
    .version(await version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .addHelpText('after', '\n`sluice <command> --help` explains a command, with examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? defaultWidth,
      getErrHelpWidth: () => stderr.columns ?? defaultWidth,
    })
  addCheck(program, terminal)
  addExplain(program, terminal)
  addSimulate(program, terminal)
  addTop(program, terminal)
  addStatus(program, terminal)
  addActs(program, terminal)
  addKeys(program, terminal)
  return program
}

const defaultWidth = 80

async function version(): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

/** The message of an error that ends a command. */
function failure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.split('\n').map(visible)
  return `error: ${lines.join('\n')}\n`
}
