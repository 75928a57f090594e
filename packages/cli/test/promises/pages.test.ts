import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { folderWith, sluice } from '../sluice.js'

const root = new URL('../../../../', import.meta.url)
const rules = await readFile(new URL('examples/docs/rules.yaml', root), 'utf8')

/** The files that the commands of the pages read. */
const files = {
  'access.log': await readFile(new URL('examples/docs/access.log', root), 'utf8'),
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

test.each([
  ['packages/cli/README.md', 3],
  ['packages/docs/reference/command-line.md', 4],
  ['packages/docs/operate/which-limit.md', 2],
])('the commands of %s print the output on the page', async (page, commands) => {
  const text = await readFile(new URL(page, root), 'utf8')
  const cwd = await folderWith(files)
  const shown = [...text.matchAll(/^```sh\n(?:npx )?sluice (.*)\n```\n\n```text\n([^]*?)^```$/gm)]
  expect(shown.length).toBe(commands)
  for (const [, command, output] of shown) {
    const { stdout, stderr } = await sluice(wordsOf(command), { cwd })
    expect(stderr + withoutTime(stdout), command).toMatch(patternOf(withoutTime(output)))
  }
})

/** Output without the duration and the speed of a replay. */
function withoutTime(output: string): string {
  return output.replace(/^(format \w+; ).*$/m, '$1')
}

/** A line "…" of a page matches any number of lines. */
function patternOf(output: string): RegExp {
  const parts = output.split(/^…\n/m).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`)
}

/** The words of a command line. Words can be in quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)
}

test.each([
  ['check', '## check'],
  ['explain', '## explain'],
  ['simulate', '## simulate'],
  ['top', '## top'],
  ['status', '## status'],
  // Their other options are those of status.
  ...['block', 'unblock', 'reset', 'penalize', 'exempt', 'unexempt', 'grant', 'ungrant'].map(
    (command) => [
      command,
      '## block, unblock, reset, penalize, exempt, unexempt, grant, ungrant',
      '## status',
    ],
  ),
  ['keys', '## keys'],
])('the page of the command line names every option of %s', async (command, ...headings) => {
  const text = await readFile(new URL('packages/docs/reference/command-line.md', root), 'utf8')
  const sections = headings.map((heading) => {
    const start = text.indexOf(`\n${heading}\n`)
    expect(start, heading).toBeGreaterThan(0)
    const next = text.indexOf('\n## ', start + 1)
    return text.slice(start, next === -1 ? undefined : next)
  })
  const { stdout } = await sluice([command, '--help'])
  const options = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option)
  expect(options.length).toBeGreaterThan(3)
  expect(
    options.filter(
      (option) => option !== '--help' && !new RegExp(`${option}\\b`).test(sections.join('\n')),
    ),
  ).toEqual([])
})
