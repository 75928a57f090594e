import assert from 'node:assert/strict'
import { join } from 'node:path'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'
import { checkManifest } from './manifest.mjs'

/** Each package can be published: npm shows its fields, and unpacks the files that they name. */
export async function* contents(packages) {
  for (const { manifest, tarball, name } of packages) {
    checkManifest(name, manifest)
    checkContents(manifest, tarball)
  }
  yield `${packages.map(({ manifest }) => manifest.name).join(', ')}: can be published`
}

/** Checks the files that npm would unpack. */
function checkContents({ name, bin: commands, exports }, tarball) {
  run(bin('publint'), ['run', '--strict', tarball])
  run(bin('attw'), ['--profile', 'esm-only', tarball])

  const files = run('tar', ['-tzf', tarball])
    .trim()
    .split('\n')
    .map((file) => file.replace(/^package\//, ''))
  const programs = Object.values(commands ?? {}).map((file) => file.replace(/^\.\//, ''))
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  )
  const entries = targets.map((file) => file.replace(/^\.\//, ''))
  const wanted = ['package.json', 'README.md', 'LICENSE', ...programs, ...entries]
  const absent = wanted.filter((file) => !files.includes(file))
  assert.deepEqual(absent, [], `${name}: the tarball lacks these`)

  const stray = files.filter((file) => /(^|[/.])tests?[/.]|tsconfig|\.tsbuildinfo/.test(file))
  assert.deepEqual(stray, [], `${name}: the tarball should not hold these`)

  const modes = run('tar', ['-tvzf', tarball]).split('\n')
  for (const program of programs) {
    const mode = modes.find((line) => line.endsWith(` package/${program}`))
    assert.match(mode, /^-rwxr-xr-x /, `${name}: ${program} cannot be executed`)
  }

  const text = run('tar', ['-xzOf', tarball])
  assert.ok(!/["']workspace:/.test(text), `${name}: the tarball holds a workspace: range`)
}

function bin(name) {
  return join(root, 'node_modules', '.bin', name)
}
