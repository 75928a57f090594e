import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { folderWith, sluice } from './sluice.js'

const root = new URL('../../../', import.meta.url)
const rules = await readFile(new URL('examples/docs/rules.yaml', root), 'utf8')

/** The documents that the pages speak of. */
const documents = {
  'rules.yaml': rules,
  'wrong.yaml': rules.replace('by: plan,', 'by: plann,'),
  'tested.yaml': `${rules}
tests:
  - request: { path: /api/items, ip: 203.0.113.9, plan: free }
    applies: [api]
`,
  'deployed.yaml': rules
    .replace('limit: 300', 'limit: 200')
    .replace('window: 1m\n\n  - id: api', 'window: 1m\n    algorithm: gcra\n\n  - id: api')
    .replace('free: 60', 'free: 40'),
}

test.each(['packages/cli/README.md', 'docs/reference/command-line.md'])(
  'the commands of %s print what it says',
  async (page) => {
    const text = await readFile(new URL(page, root), 'utf8')
    const cwd = await folderWith(documents)
    const shown = [...text.matchAll(/^```sh\n(?:npx )?sluice (.*)\n```\n\n```text\n([^]*?)^```$/gm)]
    expect(shown.length).toBe(page.endsWith('README.md') ? 2 : 4)
    for (const [, command, output] of shown) {
      const { stdout, stderr } = await sluice(wordsOf(command), { cwd })
      expect(stderr + stdout, command).toBe(output)
    }
  },
)

/** The words of a command line, of which some are in quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)
}

test.each(['check', 'explain'])(
  'the page of the command line names every option of %s',
  async (command) => {
    const text = await readFile(new URL('docs/reference/command-line.md', root), 'utf8')
    const start = text.indexOf(`\n## ${command}`)
    const next = text.indexOf('\n## ', start + 1)
    const section = text.slice(start, next === -1 ? undefined : next)
    const { stdout } = await sluice([command, '--help'])
    const options = [...stdout.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => option)
    expect(
      options.filter((option) => option !== '--help' && !new RegExp(`${option}\\b`).test(section)),
    ).toEqual([])
  },
)
