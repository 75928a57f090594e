import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'
import { createProject } from './project.mjs'
import { withNeeded } from './tarballs.mjs'

const log = join(root, 'examples', 'docs', 'access.log')

/** Runs the commands of each README in a project that has installed the package. */
export async function* commandLine(packages, folder) {
  for (const one of packages.filter(({ manifest }) => manifest.bin)) {
    const { name, source, manifest } = one
    const page = readFileSync(join(source, 'README.md'), 'utf8')
    const [, rules] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
    const shown = [...page.matchAll(/^```sh\nnpx (.*)\n```\n\n```text\n([\s\S]*?)^```$/gm)]
    assert.ok(rules && shown.length > 0, `the page of ${name} shows no document, or no output`)
    const project = createProject(join(folder, `command-${name}`), packages, {
      dependencies: withNeeded(one, packages).map((each) => each.manifest.name),
      files: { 'rules.yaml': rules, 'access.log': readFileSync(log, 'utf8') },
    })
    const npx = (...words) => run('npx', ['--no-install', ...words], { cwd: project })
    assert.match(npx(manifest.name, '--help'), /^Usage: sluice /)
    assert.equal(npx(manifest.name, '--version'), `${manifest.version}\n`)
    for (const [, command, output] of shown) {
      const [stated] = output.split('…\n', 1)
      assert.equal(
        withoutTime(npx(...wordsOf(command))).slice(0, withoutTime(stated).length),
        withoutTime(stated),
      )
    }
    yield `${name}: npx ${manifest.name} prints what its page says`
  }
}

/** Output without the duration and the speed of a replay. */
function withoutTime(output) {
  return output.replace(/^(format \w+; ).*$/m, '$1')
}

/** The words of a command line, of which some are in quotes. */
function wordsOf(command) {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)
}
