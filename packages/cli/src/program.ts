import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { checkCommand } from './commands/check.js'
import { explainCommand } from './commands/explain.js'
import { addSimulate } from './commands/simulate.js'

/** The command `sluice`. Each of its commands is a file of `commands`. */
export async function createProgram(): Promise<Command> {
  const program = new Command('sluice')
    .description('Check and explain the rules of Sluice, and replay access logs against limits.')
    .version(await version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .addCommand(checkCommand())
    .addCommand(explainCommand())
    .addHelpText('after', '\n`sluice <command> --help` explains a command, with examples.')
  addSimulate(program)
  return program
}

async function version(): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}
