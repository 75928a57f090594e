import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sluice } from './sluice.js'

test('--version prints the version of the package', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await sluice(['--version'])).toEqual({
    status: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  })
})

test('--help names the commands, and each command has examples', async () => {
  const { stdout, status } = await sluice(['--help'])
  expect(status).toBe(0)
  const commands = [...stdout.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name)
  expect(commands.join(' ')).toBe(
    'check explain simulate top status block unblock reset penalize exempt unexempt grant ungrant keys',
  )
  for (const command of commands) {
    const help = await sluice([command, '--help'])
    expect(help.status).toBe(0)
    expect(help.stdout).toContain(`Usage: sluice ${command} [options]`)
    expect(help.stdout).toMatch(/\nExit code:\n {2}0 {2}/)
    expect(help.stdout).toMatch(new RegExp(`\\nExamples:\\n {2}sluice ${command} `))
  }
})

test.each([
  [['chek'], "error: unknown command 'chek'\n(Did you mean check?)\n"],
  [['check', 'a.yaml', '--strit'], "error: unknown option '--strit'\n(Did you mean --strict?)\n"],
  [
    ['explain', 'a.yaml', '--vale', 'a=b'],
    "error: unknown option '--vale'\n(Did you mean --value?)\n",
  ],
  [['check'], "error: missing required argument 'files'\n"],
  [
    ['check', 'a.yaml', '--format', 'xml'],
    "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are text, json, github.\n",
  ],
])('the error about %j suggests the right words', async (args, said) => {
  expect(await sluice(args)).toEqual({ status: 1, stdout: '', stderr: said })
})
